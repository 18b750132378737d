import { describe } from '@jest/globals';
import { thresholdOr } from '../../support/service/threshold.ts';
import { drillKilledProcesses } from './drill.ts';

const threshold = thresholdOr('100');

describe(`with the burst threshold ${threshold || 'of the default'}`, () => drillKilledProcesses(threshold));
