import { describe } from '@jest/globals';
import { endsOfHeldDeliveries } from './drill.ts';

describe('with the burst threshold off', () => endsOfHeldDeliveries('off'));
