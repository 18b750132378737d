import { useParams } from '@tanstack/react-router';

/** The id in the path of a page of one thing. */
export function usePathId(): string {
  // `as`: the paths of router.tsx name it.
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  return id;
}
