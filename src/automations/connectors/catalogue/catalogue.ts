import type { z } from 'zod';
import type { Connector } from './connector.ts';
import { airtable } from './airtable.ts';
import { anthropic } from './anthropic.ts';
import { discord } from './discord.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { googleSheets } from './google-sheets.ts';
import { http, httpOAuth } from './http.ts';
import { hubspot } from './hubspot.ts';
import { intercom } from './intercom.ts';
import { jira } from './jira.ts';
import { linear } from './linear.ts';
import { mailgun } from './mailgun.ts';
import { microsoftTeams } from './microsoft-teams.ts';
import { notion } from './notion.ts';
import { openai } from './openai.ts';
import { opsgenie } from './opsgenie.ts';
import { pagerduty } from './pagerduty.ts';
import { postmark } from './postmark.ts';
import { resend } from './resend.ts';
import { salesforce } from './salesforce.ts';
import { sendgrid } from './sendgrid.ts';
import { sentry } from './sentry.ts';
import { shopify } from './shopify.ts';
import { slack } from './slack.ts';
import { stripe } from './stripe.ts';
import { telegram } from './telegram.ts';
import { twilio } from './twilio.ts';
import { zendesk } from './zendesk.ts';

/**
 * All connectors, by name. To add one, create a file here, add it to this list, and add vectors of its operations to
 * test/automations/connector-vectors.
 */
export const CONNECTORS: readonly Connector[] = [
  airtable,
  anthropic,
  discord,
  github,
  gitlab,
  googleSheets,
  http,
  httpOAuth,
  hubspot,
  intercom,
  jira,
  linear,
  mailgun,
  microsoftTeams,
  notion,
  openai,
  opsgenie,
  pagerduty,
  postmark,
  resend,
  salesforce,
  sendgrid,
  sentry,
  shopify,
  slack,
  stripe,
  telegram,
  twilio,
  zendesk,
];

const BY_ID = new Map(CONNECTORS.map((connector) => [connector.id, connector]));

export const connectorOf = (id: string): Connector | undefined => BY_ID.get(id);

/** Whether a field of a schema accepts secrets. */
export const isSecret = (field: z.ZodType | undefined): boolean => field?.meta()?.['writeOnly'] === true;
