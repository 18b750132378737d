import { describe } from '@jest/globals';
import { suspension } from './drill.ts';

describe('with the burst threshold as it is by default', () => suspension(''));
