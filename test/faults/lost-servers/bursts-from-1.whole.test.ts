import { describe } from '@jest/globals';
import { drillLostServers } from './drill.ts';

describe('with the burst threshold 1', () => drillLostServers('1'));
