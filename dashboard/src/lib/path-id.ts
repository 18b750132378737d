import { useParams } from '@tanstack/react-router';

/** Returns the id in the path of a resource's page. */
export function usePathId(): string {
  // `as`: the paths in router.tsx name it.
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  return id;
}
