import type { Node } from '@xyflow/react';
import type { LucideIcon } from 'lucide-react';
import type { KeyboardEvent, PointerEvent } from 'react';
import type { FlowEnd, FlowStep, FlowWay } from '../../../lib/flow-graph.ts';
import type { Path } from '../../../lib/json-edit.ts';
import type { StepRole } from '../../../lib/step-words.ts';
import type { StepState } from '../../../lib/taken-ways.ts';

export type StepNode = Node<
  {
    key: string;
    icon: LucideIcon;
    role: StepRole;
    title: string;
    isCode: boolean;
    line: string;
    kindName: string;
    isSelected: boolean;
    problems: number;
    state: StepState | undefined;
    /** The run did not reach it. */
    isOff: boolean;
    failure: FlowStep['failure'];
    isInner: boolean;
    /** Only its id is shown. */
    isCompact: boolean;
    /** Members that can be pointed at another step by dragging. */
    handles: readonly { name: string; path: Path }[];
    onSelect: ((key: string) => void) | undefined;
    onKey: ((event: KeyboardEvent, key: string) => void) | undefined;
    onDrag: ((event: PointerEvent, key: string, path: Path) => void) | undefined;
  },
  'step'
>;
export type CapNode = Node<{ end: FlowEnd; isOff: boolean }, 'cap'>;
export type GroupNode = Node<{ label: string }, 'loop'>;
export type CanvasNode = StepNode | CapNode | GroupNode;

/** The actions of an editable canvas. Steps are given by their keys. */
export type CanvasEdit = {
  /** Returns the key of the new step. */
  insert: (way: FlowWay, kind: string) => string;
  rewire: (way: FlowWay, to: string) => void;
  remove: (key: string) => void;
  duplicate: (key: string) => void;
};
