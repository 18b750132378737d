import { writeFileSync } from 'node:fs';
import type { EmbeddedTemporal } from '../../local/temporal.ts';
import { measurePhases } from '../distance.ts';
import { type Figures, measure } from '../measure.ts';
import type { Options } from '../options.ts';
import { type Receiver, urlsAt } from '../receivers.ts';
import type { Rig } from '../rig.ts';
import { type Scenario, WARM_UP } from '../scenarios.ts';
import { OWN_PROGRAM, type Mode, type Program, type Service } from '../service.ts';
import { countUnfinished, createTarget } from './http-target.ts';
import { type Pair, ratiosTable } from './ratios.ts';
import { prepareNode, prepareTree } from './tree.ts';

/** One of the two compared services. Each keeps its own database and Temporal server from turn to turn. */
type Side = {
  name: 'here' | 'other';
  processes: number;
  program: Program;
  temporal: EmbeddedTemporal;
  databases: Map<Mode, { url: string; key: string | undefined }>;
};

type Load = Pick<Scenario, 'load' | 'subscriptions' | 'endpoints' | 'behaviour'>;

/**
 * Measures this build and another commit alternately. Each turn starts the service, warms it up and runs every scenario once; the two
 * alternate in going first. Prints the ratios and writes every run to `options.outputPath`.
 */
export async function compare(
  rig: Rig,
  scenarios: readonly Scenario[],
  { options, onProgress, about }: { options: Options; onProgress: (line: string) => void; about: object },
): Promise<void> {
  const tree = prepareTree(options.against ?? 'HEAD', onProgress);
  const node = options.node === undefined ? process.execPath : prepareNode(options.node, onProgress);
  const [here, other]: [Side, Side] = [
    { name: 'here', processes: options.processes, program: OWN_PROGRAM, temporal: rig.temporal, databases: new Map() },
    {
      name: 'other',
      processes: 1,
      program: { node, main: `${tree.folder}/dist/src/main.js` },
      temporal: await rig.openTemporal('other'),
      databases: new Map(),
    },
  ];
  const pairs: Pair[] = [];
  for (let turn = 1; turn <= options.runs; turn += 1) {
    for (const side of turn % 2 === 1 ? [other, here] : [here, other]) {
      for (const mode of options.modes) {
        const ofMode = scenarios.filter((scenario) => scenario.mode === mode);
        if (ofMode.length === 0) continue;
        onProgress(`turn ${turn} of ${options.runs}: ${side.name}, ${mode}`);
        await measureSide(rig, side, ofMode, { mode, pairs });
      }
    }
    writeFileSync(
      options.outputPath,
      `${JSON.stringify({ ...about, against: { ...tree, node }, pairs }, undefined, 2)}\n`,
    );
  }
  console.log(ratiosTable(pairs));
}

async function measureSide(
  rig: Rig,
  side: Side,
  scenarios: readonly Scenario[],
  { mode, pairs }: { mode: Mode; pairs: Pair[] },
): Promise<void> {
  const database = side.databases.get(mode) ?? {
    url: await rig.createDatabase(`${side.name}_${mode}`),
    key: undefined,
  };
  side.databases.set(mode, database);
  const service = await rig.startService({
    databaseUrl: database.url,
    temporalAddress: side.temporal.address,
    mode,
    program: side.program,
    processes: side.processes,
  });
  // The service prints a key only on its first start with a database.
  database.key ??= service.key;
  const { key } = database;
  try {
    if (key === undefined) throw new Error('The service printed no API key');
    const measured = { ...rig, temporal: side.temporal };
    const run = (receiver: Receiver, load: Load) => prepareRun(measured, receiver, { service, key, load });
    await (await run(rig, { load: WARM_UP[mode], subscriptions: 1, endpoints: 1, behaviour: {} }))();
    for (const scenario of scenarios) {
      const receiver = await rig.openReceiver(scenario.receiver);
      for (const distanceMs of scenario.distancesMs) {
        const behaviour = { ...scenario.behaviour, delayMs: distanceMs };
        const once = await run(receiver, { ...scenario, behaviour });
        const { isLearnt } = scenario;
        for (const { figures, phase } of await measurePhases(once, { isLearnt, distanceMs }))
          pairOf(pairs, { mode, scenario: scenario.name, distanceMs, ...(phase && { phase }) })[side.name].push(
            figures,
          );
      }
    }
  } finally {
    await service.stop();
  }
}

/** Creates a target at the receiver; each call of the returned function runs it once. */
async function prepareRun(
  rig: Rig,
  { receiver, endpoints }: Receiver,
  { service, key, load: scenario }: { service: Service; key: string; load: Load },
): Promise<() => Promise<Figures>> {
  const { load, subscriptions, behaviour } = scenario;
  const access = { url: service.url, key };
  const urls = urlsAt(endpoints, subscriptions, scenario.endpoints);
  const target = await createTarget(access, urls);
  const context = { service, key, target, load, behaviour, countUnfinished: () => countUnfinished(access, target) };
  return () => measure({ ...rig, receiver }, context);
}

/** Returns the pair of that scenario, empty the first time. */
function pairOf(pairs: Pair[], about: Omit<Pair, 'here' | 'other'>): Pair {
  const known = pairs.find(
    ({ mode, scenario, distanceMs, phase }) =>
      mode === about.mode && scenario === about.scenario && distanceMs === about.distanceMs && phase === about.phase,
  );
  if (known !== undefined) return known;
  const pair: Pair = { ...about, here: [], other: [] };
  pairs.push(pair);
  return pair;
}
