import { BUSINESS_VECTORS } from './business.ts';
import type { ConnectorVectors } from './vector.ts';

const headers = { authorization: 'Bearer at-1' };

/** Connectors whose provider issues access tokens. */
export const TOKEN_VECTORS: Record<string, ConnectorVectors> = {
  'google-sheets': {
    credentials: { clientId: 'c', clientSecret: 's' },
    headers,
    operations: {
      'append-rows': {
        params: { spreadsheetId: 's1', range: 'Orders!A1:B', rows: [['A-17', 19.5]] },
        method: 'POST',
        to: 'sheets.googleapis.com/v4/spreadsheets/s1/values/Orders!A1%3AB:append?valueInputOption=USER_ENTERED',
        json: { majorDimension: 'ROWS', values: [['A-17', 19.5]] },
      },
      'update-rows': {
        params: { spreadsheetId: 's1', range: 'Orders!A2', rows: [['=1+1']], valueInput: 'RAW' },
        method: 'PUT',
        to: 'sheets.googleapis.com/v4/spreadsheets/s1/values/Orders!A2?valueInputOption=RAW',
        json: { majorDimension: 'ROWS', values: [['=1+1']] },
      },
      'get-rows': {
        params: { spreadsheetId: 's1', range: 'Orders' },
        method: 'GET',
        to: 'sheets.googleapis.com/v4/spreadsheets/s1/values/Orders',
      },
    },
  },
  salesforce: {
    credentials: { domain: 'acme--uat.sandbox', clientId: 'c', clientSecret: 's' },
    headers,
    operations: {
      'create-record': {
        params: { type: 'Contact', fields: { LastName: 'Lovelace' } },
        method: 'POST',
        to: 'acme--uat.sandbox.my.salesforce.com/services/data/v62.0/sobjects/Contact',
        json: { LastName: 'Lovelace' },
      },
      'update-record': {
        params: { type: 'Contact', recordId: '003x', fields: { LastName: 'King' } },
        method: 'PATCH',
        to: 'acme--uat.sandbox.my.salesforce.com/services/data/v62.0/sobjects/Contact/003x',
        json: { LastName: 'King' },
      },
      query: {
        params: { soql: 'SELECT Id FROM Contact' },
        method: 'GET',
        to: 'acme--uat.sandbox.my.salesforce.com/services/data/v62.0/query?q=SELECT+Id+FROM+Contact',
      },
    },
  },
  'http-oauth': {
    credentials: {
      baseUrl: 'https://crm.example.com/v2',
      authorizationUrl: 'https://id.example.com/auth',
      tokenUrl: 'https://id.example.com/token',
      clientId: 'c',
      clientSecret: 's',
    },
    headers,
    operations: BUSINESS_VECTORS['http']?.operations ?? {},
  },
};
