import { useMemo } from 'react';
import type { Names } from '../../lib/step-words.ts';
import { useNamed } from '../../parts/use-named.ts';

/** Returns the names of what a definition references by id. */
export function useDefinitionNames(): Names {
  const channels = useNamed('channels', '');
  const webhooks = useNamed('webhooks', '');
  const workflows = useNamed('workflows', '');
  const connectors = useNamed('connectors', '');
  return useMemo(
    () => new Map([...channels, ...webhooks, ...workflows, ...connectors]),
    [channels, webhooks, workflows, connectors],
  );
}
