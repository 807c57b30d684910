/* tslint:disable */
/* eslint-disable */
export * from './ServiceApi.ts';
export * from './TablesApi.ts';
