import { describe, expect, test } from '@jest/globals';
import { areaImports, circlesOf, folderImports, importsOf, sourcesOf } from '../support/check/imports.ts';

// The linter's own rule leaves types out, and sees files only: nineteen files stood in a circle by the type of all services.
const sources = sourcesOf('src');
const planted = (...files: [path: string, text: string][]) => importsOf(new Map([...sources, ...files]));

test('every file of src is read, and its imports are seen', () => {
  const graph = importsOf(sources);
  expect(graph.size).toBeGreaterThan(200);
  expect(graph.get('src/http/route/route.ts')).toContain('src/caller/caller.ts');
  expect(graph.get('src/process/roles/keys.ts')).toContain('src/identity/api-keys/service.ts');
  expect(folderImports(graph).get('src/identity/api-keys')).toContain('src/http/route');
});

describe('no circle of imports, types included', () => {
  test('between files of src', () => {
    expect(circlesOf(importsOf(sources))).toEqual([]);
  });

  test('between folders of src', () => {
    expect(circlesOf(folderImports(importsOf(sources)))).toEqual([]);
  });

  test('between the folders of src as the map draws them, with all that lies in each', () => {
    expect(circlesOf(areaImports(importsOf(sources)))).toEqual([]);
  });

  test.each(['activities', 'bench', 'client/src', 'dashboard/src', 'local', 'test/support', 'workflows'])(
    'between files of %s',
    (folder) => {
      const files = sourcesOf(folder);
      expect(files.size).toBeGreaterThan(5);
      expect(circlesOf(importsOf(files))).toEqual([]);
    },
  );
});

describe('a planted circle is found', () => {
  test('between two files, by a type one way', () => {
    const graph = planted(
      ['src/channels/one.ts', "import { two } from './two.ts';\nexport const one = two;\n"],
      [
        'src/channels/two.ts',
        "import type { one } from './one.ts';\nexport const two = (given: typeof one) => given;\n",
      ],
    );
    expect(circlesOf(graph)).toEqual([['src/channels/one.ts', 'src/channels/two.ts']]);
  });

  test.each([
    "import type { Services } from '../../services.ts';",
    "import { type Services } from '../../services.ts';",
    "export type { Services } from '../../services.ts';",
    "export type Late = typeof import('../../services.ts');",
    "export const load = () => import('../../services.ts');",
    "import '../../services.ts';",
    'import {\n  type Services,\n} from "../../services.ts";',
  ])('between folders in which no two files import each other: %j', (statement) => {
    const circles = circlesOf(folderImports(planted(['src/http/route/planted.ts', `${statement}\n`])));
    expect(circles).toHaveLength(1);
    expect(circles[0]).toEqual(expect.arrayContaining(['src/services.ts', 'src/http/route', 'src/channels']));
    expect(circlesOf(planted(['src/http/route/planted.ts', `${statement}\n`]))).toEqual([]);
  });
});

test('a planted circle between two areas is found, although no two of their folders import each other', () => {
  const graph = planted(['src/caller/planted.ts', "import type { Row } from '../http/route/route.ts';\n"]);
  expect(circlesOf(areaImports(graph))).toEqual([expect.arrayContaining(['src/caller', 'src/http'])]);
});

test('a planted circle between two components of the dashboard is found', () => {
  const graph = importsOf(
    new Map([
      ['dashboard/src/parts/one.tsx', "import { Two } from './two.tsx';\n"],
      ['dashboard/src/parts/two.tsx', "import type { One } from './one.tsx';\n"],
    ]),
  );
  expect(circlesOf(graph)).toHaveLength(1);
});

test('an import that leads nowhere is a failure, not an edge that nobody sees', () => {
  expect(() => planted(['src/http/route/planted.ts', "import { x } from './nobody.ts';\n"])).toThrow(
    'src/http/route/nobody.ts',
  );
});
