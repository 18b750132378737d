/** Address of the dashboard, without a slash at its end: beside the API, or under it. */
export const dashboardAt = (urls: { publicBaseUrl: string; dashboardUrl?: string | undefined }): string =>
  urls.dashboardUrl ?? `${urls.publicBaseUrl}/dashboard`;
