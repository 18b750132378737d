import '@xyflow/react/dist/base.css';
import {
  Background,
  BackgroundVariant,
  MiniMap,
  type NodeTypes,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
  ViewportPortal,
} from '@xyflow/react';
import { Maximize, ZoomIn, ZoomOut } from 'lucide-react';
import {
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { type FlowGraph, type FlowWay, flowOf, flowLeadsTo, TRIGGER } from '../../../lib/flow-graph.ts';
import { slotsOf, slotWay } from '../../../lib/flow-edit.ts';
import type { Path } from '../../../lib/json-edit.ts';
import { useKeys } from '../../../lib/keys.ts';
import { type ChosenWays, type StepState, takenWays } from '../../../lib/taken-ways.ts';
import { type Names, stepLine, stepWords, triggerLines, triggerWords } from '../../../lib/step-words.ts';
import { IconButton } from '../../../ui/button.tsx';
import { AddMenu } from './add-menu.tsx';
import { capId, type Placed, placed } from './layout.ts';
import { EndCap, GroupBox, StepCard } from './step-node.tsx';
import type { CanvasEdit, CanvasNode } from './types.ts';
import { Ways } from './ways.tsx';

export type { CanvasEdit } from './types.ts';

/** With this many steps or more, a minimap shows the current position. */
const MAP_FROM = 20;
const NODE_TYPES: NodeTypes = { step: StepCard, cap: EndCap, loop: GroupBox };
const NO_NAMES: Names = new Map();

type Given = {
  /** The definition, as JSON. */
  text: string;
  /** Names of channels, connectors and workflows that the definition references by id. */
  names?: Names | undefined;
  /** By step ids, of a run or of a test run: the status of each step. Absent steps were not reached. */
  states?: ReadonlyMap<string, StepState> | undefined;
  /** By the same ids: the codes of their errors. */
  errors?: ReadonlyMap<string, string> | undefined;
  /** By the same ids: the branches that they chose. */
  chosen?: ChosenWays | undefined;
  /** Id of the selected step; `TRIGGER` for the trigger. */
  selected?: string | undefined;
  onSelect?: ((id: string | undefined) => void) | undefined;
  /** How many problems each step and the trigger have. */
  problems?: ReadonlyMap<string, number> | undefined;
  /** If absent, the canvas is read-only. */
  edit?: CanvasEdit | undefined;
  label?: string;
  /** The canvas is in a scrolling page: it is as high as its steps need, and the wheel scrolls the page. */
  isInPage?: boolean;
  /** Steps with only their ids, close together, without the transitions that end. */
  isCompact?: boolean;
};

/** A workflow as it runs, with every transition out of each step. */
export function WorkflowCanvas(given: Given) {
  return (
    <ReactFlowProvider>
      <Canvas {...given} />
    </ReactFlowProvider>
  );
}

/** The steps and transitions of the latest text that was valid JSON. */
function useFlow(text: string, isCompact: boolean): { flow: FlowGraph; placed: Placed } {
  const last = useRef<{ flow: FlowGraph; placed: Placed }>(undefined);
  return useMemo(() => {
    const whole = flowOf(text);
    // Ends that a run has not reached are not part of its path.
    const flow = whole && isCompact ? { ...whole, ways: whole.ways.filter(({ to }) => to !== undefined) } : whole;
    const now = flow === undefined ? last.current : { flow, placed: placed(flow, { isCompact }) };
    const shown = now ?? { flow: EMPTY, placed: placed(EMPTY) };
    last.current = shown;
    return shown;
  }, [text, isCompact]);
}
const EMPTY = flowOf('{}') ?? { trigger: { kind: '', config: {} }, steps: [], ways: [], isSound: true };

type Adding = { way: FlowWay; anchor: Element | { getBoundingClientRect: () => DOMRect } };

function Canvas({
  text,
  names = NO_NAMES,
  states,
  errors,
  chosen,
  selected,
  onSelect,
  problems,
  edit,
  label = 'Workflow',
  isInPage = false,
  isCompact = false,
}: Given) {
  const { flow, placed: place } = useFlow(text, isCompact);
  const [adding, setAdding] = useState<Adding>();
  const box = useRef<HTMLDivElement>(null);
  const view = useReactFlow();
  const drag = useDragToStep(box, {
    flow,
    onDrop: (way, to, anchor) => {
      if (to !== undefined) edit?.rewire(way, to);
      else setAdding({ way, anchor });
    },
  });
  const focusOn = useCallback((key: string): void => {
    box.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
  }, []);
  const latest = useRef({ flow, place, edit, onSelect });
  latest.current = { flow, place, edit, onSelect };
  const onKey = useCallback(
    (event: KeyboardEvent, key: string): void => {
      const { flow: now, place: at, edit: doing } = latest.current;
      const other = nextInDirection(event.key, key, at);
      if (other !== undefined) {
        event.preventDefault();
        latest.current.onSelect?.(other);
        focusOn(other);
        return;
      }
      if (doing === undefined) return;
      const isStep = key !== TRIGGER;
      if ((event.key === 'Delete' || event.key === 'Backspace') && isStep) {
        const before = now.ways.find(({ to }) => to === key)?.from ?? TRIGGER;
        doing.remove(key);
        requestAnimationFrame(() => focusOn(before));
      } else if (event.key.toLowerCase() === 'd' && (event.metaKey || event.ctrlKey) && isStep) doing.duplicate(key);
      else if (event.key === 'a' && !event.metaKey && !event.ctrlKey) {
        const way = now.ways.find(({ from, isDashed }) => from === key && !isDashed);
        if (way === undefined) return;
        setAdding({ way, anchor: event.currentTarget });
      } else return;
      event.preventDefault();
      event.stopPropagation();
    },
    [focusOn],
  );
  const taken = useMemo(
    () => (states === undefined ? undefined : takenWays(flow, { states, errors, chosen })),
    [flow, states, errors, chosen],
  );
  const isEditing = edit !== undefined;
  const nodes = useMemo((): CanvasNode[] => {
    const common = { draggable: false, selectable: false, focusable: false, connectable: false };
    const own = { isSelectedKey: selected, names, states };
    const stepNodes = [TRIGGER, ...flow.steps.map(({ key }) => key)].flatMap((key): CanvasNode[] => {
      const at = place.nodes.get(key);
      const step = flow.steps.find((each) => each.key === key);
      if (at === undefined) return [];
      const kind = step?.kind ?? flow.trigger.kind;
      const words = step === undefined ? triggerWords(kind) : stepWords(kind);
      const lines =
        step === undefined
          ? triggerLines(kind, flow.trigger.config, own.names)
          : {
              title: step.id === '' ? 'No ID' : step.id,
              line: stepLine(kind, step.config, own.names),
              isCode: step.id !== '',
            };
      const state = key === TRIGGER ? undefined : own.states?.get(step?.id ?? '');
      return [
        {
          ...common,
          id: key,
          type: 'step',
          position: { x: at.x, y: at.y },
          width: at.width,
          height: at.height,
          style: { pointerEvents: 'all' },
          data: {
            key,
            icon: words.icon,
            role: words.role,
            ...lines,
            kindName: step === undefined ? `Trigger: ${words.name}` : words.name,
            isSelected: own.isSelectedKey === key,
            problems: problems?.get(key) ?? 0,
            state,
            isOff: own.states !== undefined && key !== TRIGGER && (state === undefined || state === 'skipped'),
            failure: isCompact ? undefined : step?.failure,
            isCompact,
            isInner: step?.owner !== undefined,
            handles: isEditing && step !== undefined ? slotsOf(step) : [],
            onSelect,
            onKey,
            onDrag: isEditing ? drag.start : undefined,
          },
        },
      ];
    });
    const groups = place.groups.map(({ key, x, y, width, height }): CanvasNode => {
      const step = flow.steps.find((each) => each.key === key);
      const text = step?.kind === 'foreach' ? `Loop of ${step.id}` : `Branches of ${step?.id ?? ''}`;
      return {
        ...common,
        id: `${key} group`,
        type: 'loop',
        position: { x, y },
        width,
        height,
        zIndex: -1,
        data: { label: text },
      };
    });
    const caps = place.caps.map(({ id, end, x, y, width, height }): CanvasNode => {
      const isOff = taken !== undefined && !flow.ways.some((way) => capId(way) === id && taken.has(way.id));
      return { ...common, id, type: 'cap', position: { x, y }, width, height, data: { end, isOff } };
    });
    return [...groups, ...stepNodes, ...caps];
  }, [flow, place, names, states, taken, selected, problems, isEditing, isCompact, onSelect, onKey, drag.start]);
  const onMoveStart = useFirstView(place, isCompact);
  const height = useNeededHeight(place, isCompact);
  useStill(place, selected);
  useInView(place, selected, isCompact);
  useKeys({ '1': () => void view.fitView(FITTED) });
  const nameOf = (key: string): string =>
    key === TRIGGER ? 'the trigger' : (flow.steps.find((step) => step.key === key)?.id ?? key);
  return (
    <div
      ref={box}
      role="group"
      aria-label={label}
      className="relative h-full min-h-0 w-full bg-sunken"
      style={isInPage ? { height } : undefined}
    >
      <ReactFlow
        nodes={nodes}
        edges={NO_EDGES}
        nodeTypes={NODE_TYPES}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        minZoom={0.2}
        maxZoom={1.5}
        panOnScroll={!isInPage}
        zoomOnScroll={!isInPage}
        preventScrolling={!isInPage}
        panOnDrag={!isInPage || !window.matchMedia('(pointer: coarse)').matches}
        zoomOnDoubleClick={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        disableKeyboardA11y
        proOptions={NO_ATTRIBUTION}
        onMoveStart={onMoveStart}
        onPaneClick={() => !drag.hasJustDropped() && onSelect?.(undefined)}
      >
        <Background variant={BackgroundVariant.Dots} gap={20} size={1.5} color="var(--line-strong)" />
        <ViewportPortal>
          <Ways
            ways={place.ways}
            taken={taken}
            open={adding?.way.id}
            onAdd={edit === undefined ? undefined : (way, anchor) => setAdding({ way, anchor })}
            nameOf={nameOf}
            width={place.width}
            height={place.height}
          />
          {drag.line !== undefined && (
            <svg aria-hidden="true" className="pointer-events-none absolute top-0 left-0 size-px overflow-visible">
              <path d={drag.line} className="fill-none stroke-accent [stroke-width:2]" />
            </svg>
          )}
        </ViewportPortal>
        {flow.steps.length >= MAP_FROM && (
          <MiniMap
            pannable
            ariaLabel="Map of the workflow"
            className="overflow-hidden rounded-8 border border-line-strong !bg-raised"
            bgColor="var(--raised)"
            maskColor="color-mix(in srgb, var(--hover) 70%, transparent)"
            nodeColor={(node) => (node.type === 'loop' ? 'var(--line)' : 'var(--line-input)')}
          />
        )}
        <ZoomPanel />
      </ReactFlow>
      {adding !== undefined && edit !== undefined && (
        <AddMenu
          anchor={adding.anchor}
          hasEnd={adding.way.to === undefined}
          onClose={() => setAdding(undefined)}
          onChoose={(kind) => {
            setAdding(undefined);
            const id = edit.insert(adding.way, kind);
            // It is drawn with the next frame.
            requestAnimationFrame(() => requestAnimationFrame(() => focusOn(id)));
          }}
        />
      )}
    </div>
  );
}
const NO_EDGES: [] = [];
/** React Flow's attribution is hidden because it covered the steps; its licence, MIT, allows that. */
const NO_ATTRIBUTION = { hideAttribution: true };
/** Fitted content stays clear of the zoom buttons. */
const FITTED = {
  padding: { top: '28px', right: '24px', bottom: '64px', left: '24px' },
  maxZoom: 1,
  duration: 160,
} as const;

function ZoomPanel() {
  const view = useReactFlow();
  const zoom = useStore(({ transform }) => transform[2]);
  const common = { duration: 160 };
  return (
    <Panel
      position="bottom-left"
      className="flex items-center gap-0.5 rounded-6 border border-line-strong bg-raised p-0.5 shadow-1"
    >
      <IconButton icon={ZoomOut} label="Zoom out" size="small" onClick={() => void view.zoomOut(common)} />
      <span className="w-9.5 text-center text-12 tabular-nums">{Math.round(zoom * 100)}%</span>
      <IconButton icon={ZoomIn} label="Zoom in" size="small" onClick={() => void view.zoomIn(common)} />
      <IconButton icon={Maximize} label="Fit" keys="1" size="small" onClick={() => void view.fitView(FITTED)} />
    </Panel>
  );
}

/**
 * Initially a workflow is at the top at its real size, or as small as its width requires. After that it stays where it
 * is. A panel that opens next to it reduces its width: until the user moves it, a workflow that was fully visible stays
 * so. The handler sees moves by the user.
 */
function useFirstView(place: Placed, isCompact: boolean): (event: MouseEvent | TouchEvent | null) => void {
  const view = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const placedIn = useRef<number>(undefined);
  const isMoved = useRef(false);
  const latest = useRef(place);
  latest.current = place;
  useEffect(() => {
    if (width === 0 || height === 0) return;
    const before = placedIn.current;
    placedIn.current = width;
    const bounds = boundsOf(latest.current, isCompact);
    const needed = (width - 48) / bounds.width;
    if (before === undefined) {
      const zoom = firstZoom(bounds.width, width, isCompact);
      const entry = latest.current.nodes.get(TRIGGER);
      // If it is wider than the page, start at the trigger.
      const middle = needed < zoom && entry !== undefined ? entry.x + entry.width / 2 : bounds.x + bounds.width / 2;
      void view.setViewport({ x: width / 2 - middle * zoom, y: 28 - bounds.y * zoom, zoom });
      return;
    }
    if (width >= before || isMoved.current) return;
    const { x, y, zoom: now } = view.getViewport();
    const [left, right] = [bounds.x * now + x, (bounds.x + bounds.width) * now + x];
    const wasWhole = left >= 0 && right <= before;
    const zoom = Math.min(now, (width - 32) / bounds.width);
    if (!wasWhole || right <= width || zoom < Math.min(KEPT_ZOOM, now)) return;
    // Its top stays at the same height.
    const top = bounds.y * now + y;
    void view.setViewport({
      x: width / 2 - (bounds.x + bounds.width / 2) * zoom,
      y: top - bounds.y * zoom,
      zoom,
    });
  }, [isCompact, view, width, height]);
  return useCallback((event) => {
    // Null if the page itself has moved it.
    if (event !== null) isMoved.current = true;
  }, []);
}

/** Minimum scale to stay fully visible next to a panel. */
const KEPT_ZOOM = 0.7;
const leastZoom = (isCompact: boolean): number => (isCompact ? 0.55 : 0.75);

/** Text on a canvas that is wider than its window stays readable: the user can drag to the rest. */
const firstZoom = (ofAll: number, width: number, isCompact: boolean): number =>
  Math.min(1, Math.max(leastZoom(isCompact), (width - 48) / ofAll));

/** Maximum part of the window that a canvas in a page takes. */
const MOST_PART = 0.7;

/** The height that all steps need initially, with room for the buttons below them. */
function useNeededHeight(place: Placed, isCompact: boolean): number {
  const width = useStore((state) => state.width);
  const [least, most] = [160, Math.max(320, Math.round(window.innerHeight * MOST_PART))];
  if (width === 0) return least;
  const bounds = boundsOf(place, isCompact);
  return Math.min(most, Math.max(least, Math.round(bounds.height * firstZoom(bounds.width, width, isCompact)) + 84));
}

/** Room for the text at the left of a step. */
const leftOf = (isCompact: boolean): number => (isCompact ? 0 : 96);

function boundsOf(place: Placed, isCompact: boolean): { x: number; y: number; width: number; height: number } {
  const boxes = [...place.nodes.values(), ...place.groups, ...place.caps];
  const left = Math.min(...boxes.map(({ x }) => x)) - leftOf(isCompact);
  const right = Math.max(...boxes.map(({ x, width }) => x + width));
  const top = Math.min(...boxes.map(({ y }) => y));
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height));
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** A change of the workflow moves other steps, but not the one that the user is looking at. */
function useStill(place: Placed, selected: string | undefined): void {
  const view = useReactFlow();
  const last = useRef(place);
  useLayoutEffect(() => {
    const before = last.current;
    last.current = place;
    if (before === place) return;
    const key = selected !== undefined && before.nodes.has(selected) && place.nodes.has(selected) ? selected : TRIGGER;
    const [from, to] = [before.nodes.get(key), place.nodes.get(key)];
    if (from === undefined || to === undefined) return;
    const { x, y, zoom } = view.getViewport();
    void view.setViewport({ x: x + (from.x - to.x) * zoom, y: y + (from.y - to.y) * zoom, zoom });
  }, [place, selected, view]);
}

/** Scrolls the selected step into view if necessary. */
function useInView(place: Placed, selected: string | undefined, isCompact: boolean): void {
  const view = useReactFlow();
  const width = useStore((state) => state.width);
  const latest = useRef(place);
  latest.current = place;
  useEffect(() => {
    const at = selected === undefined ? undefined : latest.current.nodes.get(selected);
    if (at === undefined || width === 0) return;
    const timer = setTimeout(() => {
      const { x, y, zoom } = view.getViewport();
      const pane = document.querySelector('.react-flow')?.getBoundingClientRect();
      if (pane === undefined) return;
      const [left, top] = [(at.x - leftOf(isCompact)) * zoom + x, at.y * zoom + y];
      const [right, bottom] = [(at.x + at.width) * zoom + x, top + at.height * zoom];
      const dx = left < 16 ? 16 - left : right > pane.width - 16 ? pane.width - 16 - right : 0;
      const dy = top < 16 ? 16 - top : bottom > pane.height - 16 ? pane.height - 16 - bottom : 0;
      if (dx !== 0 || dy !== 0) void view.setViewport({ x: x + dx, y: y + dy, zoom }, { duration: 160 });
    }, 60);
    return () => clearTimeout(timer);
  }, [selected, view, width, isCompact]);
}

/** The step that an arrow key leads to: up and down along the transitions, otherwise the nearest one on that side. */
function nextInDirection(key: string, from: string, { nodes }: Placed): string | undefined {
  const at = nodes.get(from);
  const by = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[key];
  if (at === undefined || by === undefined) return undefined;
  const [dx = 0, dy = 0] = by;
  const ahead = [...nodes].flatMap(([other, box]) => {
    const [x, y] = [box.x - at.x, box.y - at.y];
    const [forward, aside] = [x * dx + y * dy, Math.abs(x * dy) + Math.abs(y * dx)];
    return forward > 8 ? [{ other, far: forward + aside * 2 }] : [];
  });
  return ahead.toSorted((one, another) => one.far - another.far)[0]?.other;
}

/** Drags a transition from a dot below a step to another step, or to an empty place. */
function useDragToStep(
  box: React.RefObject<HTMLElement | null>,
  given: {
    flow: FlowGraph;
    onDrop: (way: FlowWay, to: string | undefined, anchor: { getBoundingClientRect: () => DOMRect }) => void;
  },
) {
  const view = useReactFlow();
  const [line, setLine] = useState<string>();
  const latest = useRef(given);
  latest.current = given;
  const droppedAt = useRef(0);
  const start = useCallback(
    (event: PointerEvent, key: string, path: Path): void => {
      event.preventDefault();
      event.stopPropagation();
      const dot = event.currentTarget.getBoundingClientRect();
      const from = view.screenToFlowPosition({ x: dot.x + dot.width / 2, y: dot.y + dot.height / 2 });
      const stepAt = (x: number, y: number): string | undefined => {
        const found = document.elementFromPoint(x, y)?.closest('[data-step]')?.getAttribute('data-step') ?? undefined;
        const { flow } = latest.current;
        // A transition may not lead back, or into another loop.
        const ownerOf = (of: string): string | undefined => flow.steps.find((step) => step.key === of)?.owner;
        if (found === undefined || found === key || found === TRIGGER) return undefined;
        return flowLeadsTo(flow, found, key) || ownerOf(found) !== ownerOf(key) ? undefined : found;
      };
      const move = (moved: globalThis.PointerEvent): void => {
        const to = view.screenToFlowPosition({ x: moved.clientX, y: moved.clientY });
        setLine(`M${from.x} ${from.y}C${from.x} ${from.y + 48} ${to.x} ${to.y - 48} ${to.x} ${to.y}`);
        for (const node of box.current?.querySelectorAll('[data-drop]') ?? []) node.removeAttribute('data-drop');
        const over = stepAt(moved.clientX, moved.clientY);
        if (over !== undefined)
          box.current?.querySelector(`[data-step="${CSS.escape(over)}"]`)?.setAttribute('data-drop', 'true');
      };
      const end = (): void => {
        window.removeEventListener('pointermove', move);
        window.removeEventListener('pointerup', up);
        window.removeEventListener('pointercancel', end);
        for (const node of box.current?.querySelectorAll('[data-drop]') ?? []) node.removeAttribute('data-drop');
        setLine(undefined);
      };
      const up = (released: globalThis.PointerEvent): void => {
        end();
        droppedAt.current = performance.now();
        const { clientX, clientY } = released;
        const way = slotWay(latest.current.flow, key, path);
        const to = stepAt(clientX, clientY);
        const isOnStep = document.elementFromPoint(clientX, clientY)?.closest('[data-step]') !== null;
        const isAdmitted = document.elementFromPoint(clientX, clientY)?.closest('.react-flow') !== null;
        if (to !== undefined || (!isOnStep && isAdmitted))
          latest.current.onDrop(way, to, { getBoundingClientRect: () => new DOMRect(clientX, clientY, 0, 0) });
      };
      window.addEventListener('pointermove', move);
      window.addEventListener('pointerup', up);
      window.addEventListener('pointercancel', end);
    },
    [box, view],
  );
  // The browser also fires a click where something was dropped.
  return { line, start, hasJustDropped: () => performance.now() - droppedAt.current < 100 };
}
