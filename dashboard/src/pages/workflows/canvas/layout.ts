import { Graph, layout as dagreLayout } from '@dagrejs/dagre';
import { type FlowGraph, type FlowEnd, type FlowStep, type FlowWay, TRIGGER } from '../../../lib/flow-graph.ts';

/** Computes the layout of a workflow. Nothing is ever positioned manually, so all users see the same picture. */

const CAP_HEIGHT = 24;
const LABEL_HEIGHT = 20;
/** `rankGap` is the distance between ranks. A rank of labels is in between, at half of it. */
type Size = { width: number; height: number; rankGap: number; nodeGap: number; innerGap: number };
const NORMAL: Size = { width: 236, height: 60, rankGap: 64, nodeGap: 112, innerGap: 64 };
/** The path of a run next to its steps, which are shown only by their ids. */
const COMPACT: Size = { width: 184, height: 40, rankGap: 44, nodeGap: 24, innerGap: 24 };
const GROUP_PAD = { x: 44, top: 20, bottom: 20 };
const RADIUS = 10;
const LONGEST_LABEL = 132;

type Point = { x: number; y: number };
type Box = { x: number; y: number; width: number; height: number };

export type PlacedWay = {
  way: FlowWay;
  path: string;
  /** The end of its line, which its arrow points to. Absent if it ends in a cap. */
  tip: Point | undefined;
  labelAt: Point | undefined;
  plusAt: Point;
};
type PlacedCap = Box & { id: string; end: FlowEnd };
type PlacedGroup = Box & { key: string };
export type Placed = {
  width: number;
  height: number;
  /** Steps and the trigger by their keys. */
  nodes: ReadonlyMap<string, Box>;
  groups: readonly PlacedGroup[];
  caps: readonly PlacedCap[];
  ways: readonly PlacedWay[];
};

/** dagre stores nodes as members of plain objects, in which an id such as `constructor` would already exist. */
const nodeId = (key: string): string => `.${key}`;
const keyOfNode = (id: string): string => id.slice(1);

export const capId = (way: FlowWay): string => `${way.id} end`;
const labelOf = (way: FlowWay): string => way.labels.join(', ');
const textWidth = (text: string): number => Math.ceil(text.length * 6.1);
const labelWidth = (way: FlowWay): number => Math.min(LONGEST_LABEL, textWidth(labelOf(way)) + 16);

/** A level of steps, positioned relative to its own corner. */
type Level = { box: Box; nodes: Map<string, Box>; groups: PlacedGroup[]; caps: PlacedCap[]; ways: PlacedWay[] };

export function placed(flow: FlowGraph, { isCompact = false } = {}): Placed {
  const level = placeLevel(flow, undefined, isCompact ? COMPACT : NORMAL);
  const { box, ...rest } = level;
  return { width: box.width, height: box.height, ...rest };
}

/**
 * Lays out the steps of one level, with the owner of the level at its top. Loops and branches inside it are levels of
 * their own.
 */
function placeLevel(flow: FlowGraph, owner: FlowStep | undefined, size: Size): Level {
  const isGrouped = flow.isSound;
  const own = isGrouped ? flow.steps.filter((step) => step.owner === owner?.key) : [...flow.steps];
  const root = owner?.key ?? TRIGGER;
  const members = new Set([root, ...own.map(({ key }) => key)]);
  const inside = new Map<string, Level>();
  for (const step of own)
    if (isGrouped && (step.kind === 'foreach' || step.kind === 'parallel'))
      inside.set(step.key, placeLevel(flow, step, size));
  const ways = flow.ways.filter(({ from, isInner }) => {
    if (!members.has(from)) return false;
    if (!isGrouped) return true;
    return from === owner?.key ? isInner : !isInner;
  });
  const graph = new Graph({ multigraph: true });
  graph.setGraph({
    rankdir: 'TB',
    ranksep: size.rankGap,
    nodesep: owner === undefined ? size.nodeGap : size.innerGap,
    edgesep: 28,
    marginx: 0,
    marginy: 0,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const key of members) {
    const group = inside.get(key);
    const { width, height } = group?.box ?? size;
    graph.setNode(nodeId(key), { width, height });
  }
  for (const way of ways) {
    const label = labelOf(way);
    const target = way.to !== undefined && members.has(way.to) ? way.to : capId(way);
    if (target !== way.to) {
      const text = way.end?.text ?? '';
      graph.setNode(nodeId(target), { width: textWidth(text) + 40, height: CAP_HEIGHT });
    }
    graph.setEdge(
      nodeId(way.from),
      nodeId(target),
      {
        weight: way.isDashed ? 1 : 3,
        minlen: 1,
        ...(label === '' ? { width: 0, height: 0 } : { width: labelWidth(way), height: LABEL_HEIGHT, labelpos: 'c' }),
      },
      way.id,
    );
  }
  dagreLayout(graph);
  straighten(graph, ways, members);
  return drawn(graph, { ways, owner, inside, members, rankGap: size.rankGap });
}

const goalOf = (way: FlowWay, members: ReadonlySet<string>): string =>
  way.to !== undefined && members.has(way.to) ? way.to : capId(way);

/**
 * Returns the transitions of a step in order from left to right: failures first, then in the order in which they are
 * written.
 */
function inOrder(ways: readonly FlowWay[], from: string): FlowWay[] {
  const own = ways.filter((way) => way.from === from);
  return [...own.filter(({ isDashed }) => isDashed), ...own.filter(({ isDashed }) => !isDashed)];
}

/** Mirrors the picture if more branches are in their order then: true for the left side, false for the right. */
function straighten(graph: Graph, ways: readonly FlowWay[], members: ReadonlySet<string>): void {
  type Edge = { x?: number; points?: Point[] };
  const edgeOf = (way: FlowWay): Edge =>
    graph.edge({ v: nodeId(way.from), w: nodeId(goalOf(way, members)), name: way.id }) as Edge;
  const leadsAt = (way: FlowWay): number => {
    const { x, points = [] } = edgeOf(way);
    return x ?? points[1]?.x ?? 0;
  };
  let turned = 0;
  // If branches disagree, the topmost one decides.
  let weightOfStep = 1.5;
  for (const from of members) {
    const own = inOrder(ways, from).map((way) => ({ x: leadsAt(way), weight: way.isDashed ? 1 : 3 }));
    for (const [at, { x, weight }] of own.entries())
      for (const other of own.slice(at + 1))
        turned += Math.sign(x - other.x) * Math.min(weight, other.weight) * weightOfStep;
    if (own.length > 1) weightOfStep = 1;
  }
  if (turned <= 0) return;
  for (const id of graph.nodes()) {
    const node = graph.node(id) as Point;
    node.x = -node.x;
  }
  for (const way of ways) {
    const edge = edgeOf(way);
    if (edge.x !== undefined) edge.x = -edge.x;
    for (const point of edge.points ?? []) point.x = -point.x;
  }
}

type Drawing = {
  ways: readonly FlowWay[];
  owner: FlowStep | undefined;
  inside: ReadonlyMap<string, Level>;
  members: ReadonlySet<string>;
  rankGap: number;
};

function drawn(graph: Graph, { ways, owner, inside, members, rankGap }: Drawing): Level {
  const raw = new Map<string, Box>(
    graph.nodes().map((id: string): [string, Box] => {
      const { x = 0, y = 0, width = 0, height = 0 } = graph.node(id) as Partial<Box>;
      return [keyOfNode(id), { x, y, width, height }];
    }),
  );
  // Ranks by their centres, which are the same for all nodes of a rank.
  const bands = new Map<number, { top: number; bottom: number }>();
  const bandAt = (y: number, height: number): void => {
    const key = Math.round(y);
    const known = bands.get(key);
    bands.set(key, {
      top: Math.min(known?.top ?? Infinity, y - height / 2),
      bottom: Math.max(known?.bottom ?? -Infinity, y + height / 2),
    });
  };
  for (const { y, height } of raw.values()) bandAt(y, height);
  const routes = new Map<string, Route>(
    ways.map((way) => {
      const to = goalOf(way, members);
      const edge = graph.edge({ v: nodeId(way.from), w: nodeId(to), name: way.id }) as {
        points?: Point[];
        x?: number;
        y?: number;
      };
      const points = (edge.points ?? []).slice(1, -1);
      for (const { y } of points) bandAt(y, 0);
      if (edge.y !== undefined && labelOf(way) !== '') bandAt(edge.y, LABEL_HEIGHT);
      return [way.id, { to, points, label: edge }];
    }),
  );
  const ordered = [...bands].toSorted(([one], [other]) => one - other).map(([, band]) => band);
  const bandOf = (y: number): number => ordered.findIndex(({ top, bottom }) => y >= top - 1 && y <= bottom + 1);
  /** The y coordinate between a rank and the one above it, where lines run sideways. */
  const gutterAbove = (y: number): number => {
    const at = bandOf(y);
    const [above, band] = [ordered[at - 1], ordered[at]];
    return above === undefined || band === undefined ? y : (above.bottom + band.top) / 2;
  };

  const nodes = new Map<string, Box>();
  const groups: PlacedGroup[] = [];
  const caps: PlacedCap[] = [];
  const innerWays: PlacedWay[] = [];
  /** Where transitions arrive and leave: for a group, its first step and its lower border. */
  const ports = new Map<string, Port>();
  for (const [id, { x, y, width, height }] of raw) {
    const top = ordered[bandOf(y)]?.top ?? y - height / 2;
    const box = { x: x - width / 2, y: top, width, height };
    const group = inside.get(id);
    if (group !== undefined) {
      const [dx, dy] = [box.x - group.box.x, box.y - group.box.y];
      const moved = movedBy(group, dx, dy);
      for (const [key, each] of moved.nodes) nodes.set(key, each);
      groups.push({ key: id, ...box }, ...moved.groups);
      caps.push(...moved.caps);
      innerWays.push(...moved.ways);
      const first = moved.nodes.get(id) ?? box;
      const middle = first.x + first.width / 2;
      ports.set(id, { in: { x: middle, y: first.y }, out: { x: middle, y: box.y + height }, box });
    } else {
      if (members.has(id)) nodes.set(id, box);
      ports.set(id, { in: { x, y: top }, out: { x, y: top + height }, box });
    }
  }
  uncross(ways, { routes, ports });
  for (const way of ways) {
    const route = routes.get(way.id);
    const [source, port] = [ports.get(way.from), ports.get(route?.to ?? '')];
    if (way.end === undefined || route === undefined || source === undefined || port === undefined) continue;
    // A rank may be as high as a loop, but the end of a short step next to it need not be below that.
    const isStraight = [port.in, ...route.points].every(({ x }) => Math.abs(x - source.out.x) < 0.5);
    const near = source.out.y + rankGap;
    if (isStraight && labelOf(way) === '' && near < port.in.y) {
      port.box.y = near;
      port.in.y = near;
      route.points = [];
    } else moveBelow(port, { route, routes, ports });
    caps.push({ id: route.to, end: way.end, ...port.box });
  }
  const turnsAside: Turn[] = [];
  const count = (key: string, side: 'from' | 'to'): number => ways.filter((way) => way[side] === key).length;
  const boxes = [...ports.values()].map(({ box }) => box);
  const ownWays = ways.flatMap((way): (PlacedWay & { corners: readonly Point[] })[] => {
    const route = routes.get(way.id);
    const [source, target] = [ports.get(way.from), route === undefined ? undefined : ports.get(route.to)];
    if (route === undefined || source === undefined || target === undefined) return [];
    const hasLabel = labelOf(way) !== '';
    const label = { x: route.label.x ?? target.in.x, y: route.label.y ?? target.in.y };
    const turns = route.points.map(({ x, y }) => ({ x, y, gutter: gutterAbove(y) }));
    const goal = { ...target.in, gutter: gutterAbove(target.in.y + 1) };
    const side = way.isDashed ? sideExit(source.box, turns[0]?.x ?? goal.x, boxes) : undefined;
    const corners = side === undefined ? [source.out] : [side, { x: turns[0]?.x ?? goal.x, y: side.y }];
    for (const [at, { x, y, gutter }] of [...turns, goal].entries()) {
      const last = corners.at(-1) ?? source.out;
      if (Math.abs(last.x - x) > 0.5) {
        const pair = [
          { x: last.x, y: gutter },
          { x, y: gutter },
        ] as const;
        corners.push(...pair);
        const isLast = at === turns.length && count(way.to ?? '', 'to') > 1;
        turnsAside.push({ gutter, pair, group: isLast ? `to ${route.to}` : at === 0 ? `from ${way.from}` : way.id });
      }
      corners.push({ x, y });
    }
    const isStraight = corners.every(({ x }) => Math.abs(x - source.out.x) < 0.5);
    const middle = turns[0] ?? { x: source.out.x, y: (source.out.y + target.in.y) / 2 };
    const plusAt = hasLabel
      ? { x: label.x, y: label.y + LABEL_HEIGHT / 2 + 12 }
      : isStraight && way.to !== undefined && count(way.to, 'to') < 2
        ? { x: source.out.x, y: (source.out.y + target.in.y) / 2 }
        : count(way.from, 'from') < 2
          ? { x: source.out.x, y: source.out.y + 20 }
          : middle;
    return [
      {
        way,
        corners,
        path: '',
        tip: route.to === way.to ? target.in : undefined,
        labelAt: hasLabel ? label : undefined,
        plusAt,
      },
    ];
  });
  keepApart(turnsAside);
  const shownWays = ownWays.map(({ corners, ...way }) => ({ ...way, path: roundedPath(corners) }));
  const level = { nodes, groups, caps, ways: [...shownWays, ...innerWays] };
  return { box: boundsOf(level, owner), ...level };
}

type Route = { to: string; points: Point[]; label: Partial<Point> };
type Port = { in: Point; out: Point; box: Box };

function grouped<T, K>(all: readonly T[], keyOf: (each: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const each of all) groups.set(keyOf(each), [...(groups.get(keyOf(each)) ?? []), each]);
  return groups;
}

/** A transition that leads straight down below its step, and then sideways to its target. */
type Column = { route: Route; x: number; goal: number; isLong: boolean };

/**
 * Whether two transitions of a step cross: a short one turns sideways at the next rank, which a long one still passes.
 */
function isCrossed(one: Column, other: Column): boolean {
  if (one.isLong && other.isLong) return false;
  if (!one.isLong && !other.isLong) return (one.x - other.x) * (one.goal - other.goal) < 0;
  const [short, long] = one.isLong ? [other, one] : [one, other];
  return long.x > Math.min(short.x, short.goal) && long.x < Math.max(short.x, short.goal);
}

const crossings = (columns: readonly Column[]): number =>
  columns.flatMap((one, at) => columns.slice(at + 1).filter((other) => isCrossed(one, other))).length;

/** If transitions of one step crossed, each would seem to lead to the other's step, so these are swapped. */
function uncross(
  ways: readonly FlowWay[],
  { routes, ports }: { routes: ReadonlyMap<string, Route>; ports: ReadonlyMap<string, Port> },
): void {
  const boxes = [...ports.values()].map(({ box }) => box);
  const isFree = ({ points }: Route, x: number): boolean =>
    points.slice(1).every(({ y }) => !boxes.some((box) => isWithin(box, { x, y }, CAP_GAP)));
  for (const own of grouped(ways, ({ from }) => from).values()) {
    const columns = own.flatMap((way): Column[] => {
      const route = routes.get(way.id);
      const [first] = route?.points ?? [];
      const goal = ports.get(route?.to ?? '')?.in.x;
      if (route === undefined || first === undefined || goal === undefined) return [];
      const isStraight = route.points.every(({ x }) => Math.abs(x - first.x) < 0.5);
      return isStraight ? [{ route, x: first.x, goal, isLong: route.points.length > 1 }] : [];
    });
    for (const level of grouped(columns, ({ route }) => Math.round(route.points[0]?.y ?? 0)).values()) {
      for (const [at, one] of level.entries())
        for (const other of level.slice(at + 1)) {
          const before = crossings(level);
          [one.x, other.x] = [other.x, one.x];
          if (crossings(level) < before && isFree(one.route, one.x) && isFree(other.route, other.x)) continue;
          [one.x, other.x] = [other.x, one.x];
        }
      for (const { route, x } of level) {
        for (const point of route.points) point.x = x;
        if (route.label.x !== undefined) route.label = { ...route.label, x };
      }
    }
  }
}

const isWithin = (box: Box, { x, y }: Point, gap: number): boolean =>
  x > box.x - gap && x < box.x + box.width + gap && y > box.y - 1 && y < box.y + box.height + 1;

/** Minimum distance of an end from its neighbours. */
const CAP_GAP = 16;

/** Places an end straight below its label: next to it, its line would coincide with that of the next branch. */
function moveBelow(
  port: Port,
  { route, routes, ports }: { route: Route; routes: ReadonlyMap<string, Route>; ports: ReadonlyMap<string, Port> },
): void {
  const last = route.points.at(-1);
  if (last === undefined || Math.abs(last.x - port.in.x) < 0.5) return;
  const { y, width, height } = port.box;
  const moved = { x: last.x - width / 2, y, width, height };
  const isNear = (box: Box): boolean =>
    box.x < moved.x + width + CAP_GAP &&
    box.x + box.width > moved.x - CAP_GAP &&
    box.y < y + height &&
    box.y + box.height > y;
  const isOnLine = (other: Route): boolean =>
    other !== route && other.points.some((point) => isWithin(moved, point, CAP_GAP));
  if ([...ports.values()].some((other) => other !== port && isNear(other.box))) return;
  if ([...routes.values()].some(isOnLine)) return;
  port.box.x = moved.x;
  port.in.x = last.x;
}

/** A horizontal piece of a transition, between two ranks. Pieces of a group leave from one step, or arrive at one. */
type Turn = { gutter: number; pair: readonly [Point, Point]; group: string };
const TRACK_GAP = 7;

/** Gives pieces of different groups that would overlap separate lines. */
function keepApart(turns: readonly Turn[]): void {
  for (const inGutter of grouped(turns, ({ gutter }) => Math.round(gutter)).values()) {
    const groups = [...grouped(inGutter, ({ group }) => group).values()]
      .map((own) => {
        const xs = own.flatMap(({ pair }) => pair.map(({ x }) => x));
        return { own, low: Math.min(...xs), high: Math.max(...xs) };
      })
      .toSorted((one, other) => one.low - other.low);
    const ends: number[] = [];
    const tracks = groups.map(({ low, high }) => {
      const free = ends.findIndex((end) => end < low - 4);
      const track = free === -1 ? ends.length : free;
      ends[track] = high;
      return track;
    });
    const gap = Math.min(TRACK_GAP, 24 / Math.max(1, ends.length));
    for (const [at, { own }] of groups.entries()) {
      const shift = ((tracks[at] ?? 0) - (ends.length - 1) / 2) * gap;
      for (const { pair } of own) for (const point of pair) point.y += shift;
    }
  }
}

/** A dashed transition leaves on the side that it goes to, unless something is there. */
function sideExit(from: Box, x: number, boxes: readonly Box[]): Point | undefined {
  const [left, right] = [from.x, from.x + from.width];
  if (x > left - 8 && x < right + 8) return undefined;
  const exit = { x: x < left ? left : right, y: from.y + from.height - 18 };
  const [low, high] = [Math.min(exit.x, x), Math.max(exit.x, x)];
  const isBlocked = boxes.some(
    (box) =>
      box !== from && box.x < high + 8 && box.x + box.width > low - 8 && box.y < exit.y && box.y + box.height > exit.y,
  );
  return isBlocked ? undefined : exit;
}

/** The area that a level covers; for a loop, with room for its border. */
function boundsOf({ nodes, groups, caps, ways }: Omit<Level, 'box'>, owner: FlowStep | undefined): Box {
  const boxes = [...nodes.values(), ...groups, ...caps];
  for (const { labelAt, way } of ways)
    if (labelAt !== undefined)
      boxes.push({ x: labelAt.x - labelWidth(way) / 2, y: labelAt.y - 10, width: labelWidth(way), height: 20 });
  const pad = owner === undefined ? { x: 0, top: 0, bottom: 0 } : GROUP_PAD;
  const first = owner === undefined ? undefined : nodes.get(owner.key);
  const left = Math.min(...boxes.map(({ x }) => x)) - pad.x;
  const right = Math.max(...boxes.map(({ x, width }) => x + width)) + pad.x;
  const top = Math.min(...boxes.map(({ y }) => y)) - pad.top;
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + pad.bottom;
  if (first === undefined) return { x: left, y: top, width: right - left, height: bottom - top };
  // Its first step is in the middle, where the transitions of the outer level arrive and leave.
  const middle = first.x + first.width / 2;
  const half = Math.max(middle - left, right - middle);
  return { x: middle - half, y: top, width: half * 2, height: bottom - top };
}

function movedBy(level: Level, dx: number, dy: number): Level {
  const box = <T extends Point>(each: T): T => ({ ...each, x: each.x + dx, y: each.y + dy });
  const point = (each: Point | undefined): Point | undefined => (each === undefined ? undefined : box(each));
  return {
    box: box(level.box),
    nodes: new Map([...level.nodes].map(([key, each]) => [key, box(each)])),
    groups: level.groups.map(box),
    caps: level.caps.map(box),
    ways: level.ways.map((way) => ({
      ...way,
      path: way.path.replace(
        /(-?[\d.]+) (-?[\d.]+)/g,
        (_, x: string, y: string) => `${Number(x) + dx} ${Number(y) + dy}`,
      ),
      tip: point(way.tip),
      labelAt: point(way.labelAt),
      plusAt: box(way.plusAt),
    })),
  };
}

/** Returns a line through these corners, with each of them rounded. */
function roundedPath(corners: readonly Point[]): string {
  const points = corners
    .map(({ x, y }) => ({ x: Math.round(x * 10) / 10, y: Math.round(y * 10) / 10 }))
    .filter(({ x, y }, at, all) => at === 0 || x !== all[at - 1]?.x || y !== all[at - 1]?.y);
  const [first] = points;
  if (first === undefined) return '';
  let path = `M${first.x} ${first.y}`;
  for (let at = 1; at < points.length; at += 1) {
    const [before, here, after] = [points[at - 1], points[at], points[at + 1]];
    if (before === undefined || here === undefined) break;
    if (after === undefined) {
      path += `L${here.x} ${here.y}`;
      break;
    }
    const radius = Math.min(RADIUS, distance(before, here) / 2, distance(here, after) / 2);
    const [one, other] = [towards(here, before, radius), towards(here, after, radius)];
    path += `L${one.x} ${one.y}Q${here.x} ${here.y} ${other.x} ${other.y}`;
  }
  return path;
}

const distance = (one: Point, other: Point): number => Math.hypot(one.x - other.x, one.y - other.y);
function towards(from: Point, to: Point, by: number): Point {
  const whole = distance(from, to);
  return whole === 0
    ? from
    : { x: from.x + ((to.x - from.x) * by) / whole, y: from.y + ((to.y - from.y) * by) / whole };
}
