import { describe } from '@jest/globals';
import { drillLostServers } from './drill.ts';

describe('with the burst threshold 100', () => drillLostServers('100'));
