import {
  Braces,
  CalendarClock,
  CircleStop,
  Filter,
  GitBranch,
  GitFork,
  Globe,
  Hand,
  Hourglass,
  type LucideIcon,
  MessageSquareText,
  Plug,
  Repeat,
  Send,
  Split,
  Stamp,
  Timer,
  Workflow,
  Zap,
  ArrowDownToLine,
  CircleDashed,
} from 'lucide-react';

/** What a step is for, shown by its colour: yellow, blue, violet, green. */
export type StepRole = 'trigger' | 'action' | 'logic' | 'human';

export const ROLE_LOOKS: Readonly<Record<StepRole, string>> = {
  trigger: 'bg-step-trigger-soft text-step-trigger',
  action: 'bg-accent-soft text-accent',
  logic: 'bg-held-soft text-held',
  human: 'bg-delivered-soft text-delivered',
};

/** `about`: what the step does, shown in the menu of steps. */
type Words = { name: string; icon: LucideIcon; role: StepRole; about?: string };

export const STEP_WORDS: Readonly<Record<string, Words | undefined>> = {
  'action:http': { name: 'HTTP request', icon: Globe, role: 'action', about: 'Send a request to any URL' },
  'action:publish': { name: 'Publish message', icon: Send, role: 'action', about: 'Publish to a channel' },
  'action:connector': { name: 'Connector', icon: Plug, role: 'action', about: 'Call another service' },
  'action:log': { name: 'Log', icon: MessageSquareText, role: 'action', about: 'Record a text in the run' },
  action: { name: 'No-op', icon: CircleDashed, role: 'action' },
  workflow: { name: 'Run workflow', icon: Workflow, role: 'action', about: 'Start another workflow' },
  transform: { name: 'Transform', icon: Braces, role: 'logic', about: 'Compute values for later steps' },
  condition: { name: 'Condition', icon: GitBranch, role: 'logic', about: 'Two branches: true and false' },
  switch: { name: 'Switch', icon: Split, role: 'logic', about: 'A branch for each case' },
  filter: { name: 'Filter', icon: Filter, role: 'logic', about: 'End the run unless true' },
  delay: { name: 'Delay', icon: Timer, role: 'logic', about: 'Wait for a time' },
  wait_for_event: { name: 'Wait for message', icon: Hourglass, role: 'logic', about: 'Wait until a message arrives' },
  foreach: { name: 'For each', icon: Repeat, role: 'logic', about: 'Run steps for each item of a list' },
  parallel: { name: 'Parallel', icon: GitFork, role: 'logic', about: 'Run branches at the same time' },
  end: { name: 'End run', icon: CircleStop, role: 'logic', about: 'End the run here' },
  approval: { name: 'Approval', icon: Stamp, role: 'human', about: 'Ask a person to decide' },
};

export const TRIGGER_WORDS: Readonly<Record<string, Words | undefined>> = {
  event: { name: 'Message', icon: Zap, role: 'trigger' },
  webhook: { name: 'Inbound webhook', icon: ArrowDownToLine, role: 'trigger' },
  schedule: { name: 'Schedule', icon: CalendarClock, role: 'trigger' },
  manual: { name: 'Manual', icon: Hand, role: 'trigger' },
};

export const stepWords = (kind: string): Words =>
  STEP_WORDS[kind] ?? { name: kind === '' ? 'No type' : kind, icon: CircleDashed, role: 'action' };
export const triggerWords = (kind: string): Words =>
  TRIGGER_WORDS[kind] ?? { name: kind === '' ? 'No trigger' : kind, icon: Zap, role: 'trigger' };

/** Names of things by id, as far as they are known. */
export type Names = ReadonlyMap<string, string>;

type Config = Readonly<Record<string, unknown>>;
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
const textsOf = (config: Config, many: string, one: string): string[] =>
  [...(Array.isArray(config[many]) ? (config[many] as unknown[]) : []), config[one]]
    .map(textOf)
    .filter((text) => text !== '');
const sizeOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

const UNITS: Readonly<Record<string, string>> = { ms: 'ms', s: 's', m: 'min', h: 'h', d: 'd' };
/** Writes `2d` as `2 d`; a number of milliseconds stays as it is. */
function spanText(value: unknown): string {
  if (typeof value === 'number') return `${value} ms`;
  const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(textOf(value)) ?? [];
  return count === undefined ? textOf(value) : `${count} ${UNITS[unit ?? ''] ?? ''}`;
}

const LONGEST_HOST = /^https?:\/\/([^/?#]+)/;

/** Returns the two lines of a trigger: what starts a run, and where. */
export function triggerLines(
  kind: string,
  config: Config,
  names: Names,
): { title: string; line: string; isCode: boolean } {
  const types = textsOf(config, 'eventTypes', 'eventType');
  const filter = textOf(config['filter']);
  const when = filter === '' ? '' : `when ${filter}`;
  const nameOf = (id: string): string => names.get(id) ?? id;
  const joined = (...parts: string[]): string => parts.filter((part) => part !== '').join(', ');
  switch (kind) {
    case 'event': {
      const channels = textsOf(config, 'channelIds', 'channelId').map(nameOf).join(', ');
      const title = types.join(', ');
      return {
        title: title === '' ? 'Any message' : title,
        line: joined(channels === '' ? 'Any channel' : channels, when),
        isCode: title !== '',
      };
    }
    case 'webhook': {
      const id = textOf(config['webhookId']);
      const title = types.join(', ');
      return {
        title: title === '' ? 'Any request' : title,
        line: joined(id === '' ? 'Inbound webhook' : nameOf(id), when),
        isCode: title !== '',
      };
    }
    case 'schedule': {
      const crons = Array.isArray(config['cron'])
        ? (config['cron'] as unknown[]).map(textOf).join('; ')
        : textOf(config['cron']);
      const every = spanText(config['every']);
      const zone = textOf(config['timezone']);
      return {
        title: crons !== '' ? crons : every !== '' ? `Every ${every}` : 'Schedule',
        line: joined('Schedule', zone === '' ? 'UTC' : zone),
        isCode: crons !== '',
      };
    }
    case 'manual':
      return { title: 'Manual', line: 'Started by a person or the API', isCode: false };
    default:
      return { title: triggerWords(kind).name, line: 'Choose what starts a run', isCode: false };
  }
}

/** Returns one line that says what a step does. */
export function stepLine(kind: string, config: Config, names: Names): string {
  const of = (name: string): string => textOf(config[name]);
  const nameOf = (id: string): string => names.get(id) ?? id;
  switch (kind) {
    case 'action:http': {
      const url = of('url');
      const method = of('method');
      return `${method === '' ? 'POST' : method} ${LONGEST_HOST.exec(url)?.[1] ?? url}`.trim();
    }
    case 'action:publish':
      return [of('eventType'), of('channelId') === '' ? '' : `to ${nameOf(of('channelId'))}`].filter(Boolean).join(' ');
    case 'action:connector': {
      const connector = of('connectorId');
      return connector === '' ? 'No connector' : `${nameOf(connector)}: ${of('operation').replaceAll('-', ' ')}`;
    }
    case 'action:log':
      return of('text');
    case 'condition':
    case 'filter':
      return of('expression');
    case 'switch':
      return sizeOf(config['cases']) === 1 ? '1 case' : `${sizeOf(config['cases'])} cases`;
    case 'transform': {
      const set = [config['set'], config['assign']].flatMap((each) =>
        typeof each === 'object' && each !== null ? Object.keys(each) : [],
      );
      return set.length === 0 ? 'Nothing' : `Set ${set.join(', ')}`;
    }
    case 'delay':
      return config['for'] === undefined ? `Until ${of('until')}` : `Wait ${spanText(config['for'])}`;
    case 'wait_for_event': {
      const types = textsOf(config, 'eventTypes', 'eventType').join(', ');
      return `${types === '' ? 'Any message' : types}, at most ${config['timeout'] === undefined ? '7 d' : spanText(config['timeout'])}`;
    }
    case 'approval': {
      const who = textsOf(config, 'approvers', '');
      const by = who.length === 0 ? 'anyone' : who.length === 1 ? (who[0] ?? '') : `${who.length} people`;
      return `Approval by ${by}, ${config['timeout'] === undefined ? '7 d' : spanText(config['timeout'])}`;
    }
    case 'workflow':
      return of('workflowId') === '' ? 'No workflow' : nameOf(of('workflowId'));
    case 'foreach': {
      const atOnce = typeof config['concurrency'] === 'number' ? config['concurrency'] : 1;
      return `${of('items')}${atOnce > 1 ? `, ${atOnce} at a time` : ''}`;
    }
    case 'parallel':
      return `${config['mode'] === 'race' ? 'First' : 'All'} of ${sizeOf(config['branches'])} branches`;
    case 'end':
      return of('status') === 'failed'
        ? 'Fail the run'
        : of('status') === 'cancelled'
          ? 'Cancel the run'
          : 'Complete the run';
    case 'action':
      return 'Does nothing';
    default:
      return '';
  }
}
