import { describe } from '@jest/globals';
import { drillEndlessLoop } from './drill.ts';

describe('with PROCESSES 1', () => drillEndlessLoop('1'));
