/* tslint:disable */
/* eslint-disable */
export * from './AttachmentsApi.ts';
export * from './DiscussionsApi.ts';
export * from './EngineApi.ts';
export * from './FormSessionsApi.ts';
export * from './PublicAttachmentsApi.ts';
export * from './ServiceApi.ts';
export * from './TablesApi.ts';
