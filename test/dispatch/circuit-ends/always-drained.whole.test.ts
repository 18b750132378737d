import { describe } from '@jest/globals';
import { endsOfHeldDeliveries } from './drill.ts';

describe('with the burst threshold 0', () => endsOfHeldDeliveries('0'));
