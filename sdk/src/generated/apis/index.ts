/* tslint:disable */
/* eslint-disable */
export * from './AttachmentsApi.ts';
export * from './AuditApi.ts';
export * from './DiscussionsApi.ts';
export * from './EngineApi.ts';
export * from './FormSessionsApi.ts';
export * from './IncidentsApi.ts';
export * from './IntegrationApi.ts';
export * from './ProcessesApi.ts';
export * from './PublicAttachmentsApi.ts';
export * from './ReportsApi.ts';
export * from './ServiceApi.ts';
export * from './StartFormApi.ts';
export * from './TablesApi.ts';
export * from './TasklistApi.ts';
export * from './TokensApi.ts';
