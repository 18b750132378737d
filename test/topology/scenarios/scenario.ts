import type { Stage } from '../campaign/stage.ts';
import type { Chance } from '../faults.ts';

/** One row of the plan of faults in docs/explanation/reliability.md. */
export type Scenario = {
  number: string;
  title: string;
  /** Acts on a stage that publishes already. Everything works again when it returns. */
  act(stage: Stage, chance: Chance): Promise<void>;
};
