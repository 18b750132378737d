import type { Ceiling } from './ceilings.ts';
import { type Phase, showDistance } from './distance.ts';
import type { Figures } from './measure.ts';
import type { ScenarioName } from './scenario-names.ts';
import type { Mode } from './service.ts';
import { formatTable, show, showSpread, type Spread, spreadOf } from './statistics.ts';

/** All runs of one scenario in one mode at one distance; a phase where the limit of requests in flight is learnt. */
export type Result = { mode: Mode; scenario: ScenarioName; distanceMs: number; phase?: Phase; runs: Figures[] };

/** The load sets the rate of these scenarios. */
const RATE_IS_GIVEN: readonly ScenarioName[] = ['light', 'broadcast'];
const HEAD =
  'mode|scenario|distance|deliveries|accepted/s|delivered/s|p50 ms|p95 ms|p99 ms|all after ms|CPU ms|service|postgres|temporal|load|receiver|load busy|receiver busy|timers late ms p50|p99|others|lost|twice'.split(
    '|',
  );

export const spread = ({ runs }: Result, of: (figures: Figures) => number): Spread => spreadOf(runs.map(of));

/** One row for each scenario and mode: medians, and from the smallest to the largest where there are several runs. */
export function resultTable(results: readonly Result[]): string {
  return formatTable(
    HEAD,
    results.map((result) => {
      const cell = (of: (figures: Figures) => number): string => showSpread(spread(result, of));
      const perDelivery = (part: keyof Figures['cpuMs']): string => cell((run) => run.cpuMs[part] / run.deliveries);
      const sum = (of: (figures: Figures) => number): string =>
        String(result.runs.reduce((total, run) => total + of(run), 0));
      return [
        result.mode,
        result.scenario,
        showDistance(result.distanceMs, result.phase),
        cell((run) => run.deliveries),
        RATE_IS_GIVEN.includes(result.scenario) ? '' : cell((run) => run.acceptedPerSecond),
        result.scenario === 'light' ? '' : cell((run) => run.deliveredPerSecond),
        cell((run) => run.p50),
        cell((run) => run.p95),
        cell((run) => run.p99),
        cell((run) => run.allArrivedAfterMs),
        cell((run) => run.cpuMsPerDelivery),
        perDelivery('service'),
        perDelivery('postgres'),
        perDelivery('temporal'),
        perDelivery('load'),
        perDelivery('receiver'),
        `${show(spread(result, (run) => run.loadBusy * 100).median)} %`,
        `${show(spread(result, (run) => run.receiverBusy * 100).median)} %`,
        cell((run) => run.timersLateP50),
        cell((run) => run.timersLateP99),
        `${show(spread(result, (run) => run.othersBusy * 100).median)} %`,
        sum((run) => run.lost),
        sum((run) => run.doubled),
      ];
    }),
    3,
  );
}

/** Memory at its highest, MB. */
export function memoryTable(results: readonly Result[]): string {
  const cell = (result: Result, part: keyof Figures['rssMb']): string =>
    show(Math.round(spread(result, (run) => run.rssMb[part]).max));
  return formatTable(
    ['mode', 'scenario', 'distance', 'service MB', 'postgres MB', 'temporal MB'],
    results.map((result) => [
      result.mode,
      result.scenario,
      showDistance(result.distanceMs, result.phase),
      cell(result, 'service'),
      cell(result, 'postgres'),
      cell(result, 'temporal'),
    ]),
    3,
  );
}

export function ceilingTable(ceilings: readonly Ceiling[]): string {
  return formatTable(
    ['ceiling', 'what', 'per second', 'driver CPU ms', 'server CPU ms'],
    ceilings.map(({ name, what, perSecond, driverCpuMs, serverCpuMs }) => [
      name,
      what,
      show(perSecond),
      driverCpuMs === 0 ? '' : show(driverCpuMs),
      serverCpuMs === 0 ? '' : show(serverCpuMs),
    ]),
  );
}
