import { describe } from '@jest/globals';
import { drillEndlessLoop } from './drill.ts';

describe('with PROCESSES 3', () => drillEndlessLoop('3'));
