import { describe } from '@jest/globals';
import { thresholdOr } from '../../support/service/threshold.ts';
import { drillDeadlyMessages } from './drill.ts';

const threshold = thresholdOr('0');

describe(`with the burst threshold ${threshold || 'of the default'}`, () => drillDeadlyMessages(threshold));
