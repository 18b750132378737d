import { describe } from '@jest/globals';
import { suspension } from './drill.ts';

describe('with the burst threshold 0', () => suspension('0'));
