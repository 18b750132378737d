import type { Pool } from 'pg';
import type { Evidence, Watched } from '../check/invariants.ts';
import { createRecorder, type Recorder } from '../world/recorder.ts';
import { type Answer, type ReceivedRequest, type Receiver, startReceiver } from '../world/receiver.ts';

/** A channel, its subscriptions, its publisher and its receiver. */
export type Scene = { recorder: Recorder; receiver: Receiver; channelId: string; subscriptions: Watched[] };

/**
 * Creates a channel with `count` subscriptions at one receiver, each with a path of its own; `fields` are the subscriptions'. `answer`
 * decides the response to each request.
 */
export async function setScene(
  api: { urlOf: () => string; key: string },
  count: number,
  answer: (request: ReceivedRequest) => Answer,
  fields: Record<string, unknown> = {},
): Promise<Scene> {
  const receiver = await startReceiver({ answer });
  const recorder = createRecorder(api.urlOf, api.key);
  const channelId = await recorder.createChannel();
  const subscriptions: Watched[] = [];
  for (let n = 0; n < count; n += 1) {
    const path = `/subscriber-${n}`;
    const webhookUrl = new URL(path, receiver.url).href;
    subscriptions.push({ ...(await recorder.createSubscription({ ...fields, channelId, webhookUrl })), path });
  }
  return { recorder, receiver, channelId, subscriptions };
}

type SceneArguments = [count: number, answer: (request: ReceivedRequest) => Answer, fields?: Record<string, unknown>];

/** Creates the scenes of one test file, whose receivers close together. `apiOf` is called for each scene. */
export function createScenes(apiOf: () => Parameters<typeof setScene>[0]) {
  const scenes: Scene[] = [];
  return {
    async set(...scene: SceneArguments): Promise<Scene> {
      const made = await setScene(apiOf(), ...scene);
      scenes.push(made);
      return made;
    },
    end: async (): Promise<void> => {
      await Promise.all(scenes.splice(0).map(({ receiver }) => receiver.close()));
    },
  };
}

export const evidenceOf = ({ recorder, receiver, channelId, subscriptions }: Scene, pool: Pool): Evidence => ({
  pool,
  channelId,
  subscriptions,
  publications: recorder.publications,
  requests: receiver.requests,
});

/** Responds after that time, so that some requests are always in progress. */
export const after =
  (ms: number, status = 200): Answer =>
  (response) =>
    void setTimeout(() => response.writeHead(status).end(), ms);
