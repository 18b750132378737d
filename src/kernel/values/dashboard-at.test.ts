import { expect, test } from '@jest/globals';
import { dashboardAt } from './dashboard-at.ts';

test('the dashboard stands under the API, or at the address of its own', () => {
  expect(dashboardAt({ publicBaseUrl: 'https://api.example.com' })).toBe('https://api.example.com/dashboard');
  expect(dashboardAt({ publicBaseUrl: 'https://api.example.com', dashboardUrl: 'https://dash.example.com' })).toBe(
    'https://dash.example.com',
  );
});
