// `node bin/run.js <script> …`: what npm's scripts of this repository run, on the Node that the service runs on.
import { resolve } from 'node:path';
import { launch } from './launch.js';

const [script, ...parameters] = process.argv.slice(2);
await launch(resolve(script), parameters);
