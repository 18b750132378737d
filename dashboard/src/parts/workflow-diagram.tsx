import { Graph, layout } from '@dagrejs/dagre';
import { useMemo } from 'react';
import type { DefinitionGraph } from '../lib/definition-graph.ts';
import { stepWord } from '../lib/kind-words.ts';
import { useTexts } from '../lib/texts.ts';
import { shapeOf, stateWord } from './state.tsx';

const WIDTH = 184;
const HEIGHT = 44;
const LEAST_SCALE = 0.7;
/** Letters of 12 px that fit into a box, and onto a way. */
const LETTERS = 24;
const LABEL_LETTERS = 22;

type Given = {
  graph: DefinitionGraph;
  /** How far the steps of a run are, by their ids. */
  states?: ReadonlyMap<string, string>;
};

/** The steps of a workflow from top to bottom. Ways into loops and branches are dashed: they come back. */
export default function WorkflowDiagram({ graph, states }: Given) {
  const t = useTexts();
  const { boxes, lines, width, height } = useMemo(() => placesOf(graph), [graph]);
  return (
    <div className="diagram" tabIndex={0} role="region" aria-label={t.workflows.diagram}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        // A wide one shrinks, as long as it can be read.
        style={{ minWidth: width * LEAST_SCALE }}
        aria-hidden="true"
      >
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0L8 4L0 8z" />
          </marker>
        </defs>
        {lines.map(({ key, path, label, at, isInner }) => (
          <g key={key} className={isInner ? 'way inner' : 'way'}>
            <path d={path} markerEnd="url(#arrow)" />
            {label !== '' && (
              <text x={at.x} y={at.y} textAnchor="middle">
                {cut(label, LABEL_LETTERS)}
              </text>
            )}
          </g>
        ))}
        {boxes.map(({ id, type, x, y }) => {
          const state = states?.get(id);
          const kind = stepWord(t, type);
          return (
            <g key={id} className={`node ${state === undefined ? '' : shapeOf(state).look}`}>
              <title>{`${id} (${kind})${state === undefined ? '' : `: ${stateWord(t, state)}`}`}</title>
              <rect x={x - WIDTH / 2} y={y - HEIGHT / 2} width={WIDTH} height={HEIGHT} rx={6} />
              <text x={x - WIDTH / 2 + 12} y={y - 3} className="name">
                {cut(id, LETTERS)}
              </text>
              <text x={x - WIDTH / 2 + 12} y={y + 14}>
                {state === undefined ? kind : `${shapeOf(state).shape} ${kind}`}
              </text>
            </g>
          );
        })}
      </svg>
      {/* The same in words, for those who cannot see it. */}
      <ol className="sr-only">
        {graph.steps.map(({ id, type }) => (
          <li key={id}>
            {id} ({stepWord(t, type)}
            {states?.has(id) === true && `, ${stateWord(t, states.get(id) ?? '')}`}){' '}
            {graph.ways
              .filter(({ from }) => from === id)
              .map(({ to, label }) => `→ ${label === '' ? '' : `${label}: `}${to}`)
              .join(', ')}
          </li>
        ))}
      </ol>
    </div>
  );
}

const cut = (text: string, letters: number): string =>
  text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;

type Point = { x: number; y: number };

/** Where everything stands, in pixels. */
function placesOf({ steps, ways }: DefinitionGraph) {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 32, ranksep: 44, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of steps) graph.setNode(id, { width: WIDTH, height: HEIGHT });
  for (const [index, { from, to, label }] of ways.entries())
    graph.setEdge(
      from,
      to,
      {
        width: label === '' ? 0 : Math.min(label.length, LABEL_LETTERS) * 7,
        height: label === '' ? 0 : 16,
        labelpos: 'c',
      },
      String(index),
    );
  layout(graph);
  // `as`: dagre puts these there, and its types say nothing of them.
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const boxes = steps.map((step) => {
    const { x, y } = graph.node(step.id) as Point;
    return { ...step, x, y };
  });
  const lines = ways.map(({ from, to, label, isInner }, index) => {
    const edge = graph.edge(from, to, String(index)) as { points: Point[] } & Partial<Point>;
    const [first, ...rest] = edge.points;
    const middle = edge.points[Math.floor(edge.points.length / 2)];
    return {
      key: `${index} ${from} ${to}`,
      path: [`M${first?.x} ${first?.y}`, ...rest.map(({ x, y }) => `L${x} ${y}`)].join(''),
      label,
      at: { x: edge.x ?? middle?.x ?? 0, y: (edge.y ?? middle?.y ?? 0) + 4 },
      isInner,
    };
  });
  return { boxes, lines, width, height };
}
