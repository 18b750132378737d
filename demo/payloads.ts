import { createRequire } from 'node:module';
import { z } from 'zod';

// The package's entry is a JSON file, which `import` accepts only with an attribute, and `require` without one.
const require = createRequire(import.meta.url);

/** One real GitHub webhook payload. `text` is the JSON that is published, digit for digit. */
export type Payload = { position: number; eventType: string; text: string };

const definitions = z.array(z.object({ name: z.string(), examples: z.array(z.record(z.string(), z.unknown())) }));

/**
 * The payloads of @octokit/webhooks-examples, in its order. The event type is GitHub's event name, followed by the action where
 * the event has one: `push`, `issues.opened`.
 */
export function loadPayloads(): Payload[] {
  const events = definitions.parse(require('@octokit/webhooks-examples'));
  return events
    .flatMap(({ name, examples }) =>
      examples.map((example) => ({
        eventType: typeof example['action'] === 'string' ? `${name}.${example['action']}` : name,
        text: JSON.stringify(example),
      })),
    )
    .map((payload, position) => ({ position, ...payload }));
}

/** Metadata of a payload, as JSON: by the position the receiver finds the payload again. */
export const metadataOf = ({ position }: Payload): string => JSON.stringify({ position: String(position) });
