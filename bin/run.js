// `node bin/run.js <script> …`: runs a script of this repository, for npm scripts, on the Node that the service runs on.
import { resolve } from 'node:path';
import { launch } from './launch.js';

const [script, ...parameters] = process.argv.slice(2);
await launch(resolve(script), parameters);
