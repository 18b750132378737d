import type { z } from 'zod';
import type { Connector } from './connector.ts';
import { airtable } from './catalogue/airtable.ts';
import { anthropic } from './catalogue/anthropic.ts';
import { discord } from './catalogue/discord.ts';
import { github } from './catalogue/github.ts';
import { gitlab } from './catalogue/gitlab.ts';
import { http } from './catalogue/http.ts';
import { hubspot } from './catalogue/hubspot.ts';
import { intercom } from './catalogue/intercom.ts';
import { jira } from './catalogue/jira.ts';
import { linear } from './catalogue/linear.ts';
import { mailgun } from './catalogue/mailgun.ts';
import { microsoftTeams } from './catalogue/microsoft-teams.ts';
import { notion } from './catalogue/notion.ts';
import { openai } from './catalogue/openai.ts';
import { opsgenie } from './catalogue/opsgenie.ts';
import { pagerduty } from './catalogue/pagerduty.ts';
import { postmark } from './catalogue/postmark.ts';
import { resend } from './catalogue/resend.ts';
import { sendgrid } from './catalogue/sendgrid.ts';
import { sentry } from './catalogue/sentry.ts';
import { shopify } from './catalogue/shopify.ts';
import { slack } from './catalogue/slack.ts';
import { stripe } from './catalogue/stripe.ts';
import { telegram } from './catalogue/telegram.ts';
import { twilio } from './catalogue/twilio.ts';
import { zendesk } from './catalogue/zendesk.ts';

/** All connectors, by name. A new one is a file in `catalogue`, a line here and a row of vectors in test/automations/connector-vectors.ts. */
export const CONNECTORS: readonly Connector[] = [
  airtable,
  anthropic,
  discord,
  github,
  gitlab,
  http,
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

/** The schema of a field that takes secrets. */
export const isSecret = (field: z.ZodType | undefined): boolean => field?.meta()?.['writeOnly'] === true;
