import clsx from 'clsx';
import { useEffect, useState } from 'react';

const QUIET_MS = 200;

/** Whether loading has taken long enough to show a skeleton: a page that loads at once shows nothing in between. */
function useIsLong(): boolean {
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, []);
  return isLong;
}

/** A bar in place of a text that is loading. */
const Bone = ({ className }: { className?: string }) => (
  <span className={clsx('block h-2.5 rounded-full bg-pressed', className)} />
);

/** Rows that are loading, as high as the real ones. */
export function SkeletonRows({ rows = 8, label = 'Loading' }: { rows?: number; label?: string }) {
  const isLong = useIsLong();
  return (
    <div
      role="status"
      aria-label={label}
      aria-busy="true"
      className={clsx('transition-opacity', !isLong && 'opacity-0')}
    >
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} aria-hidden="true" className="flex h-row items-center gap-6 border-b border-line px-6">
          <Bone className="w-20" />
          <Bone className="w-36" />
          <Bone className="w-52" />
          <Bone className="ml-auto w-16" />
        </div>
      ))}
    </div>
  );
}

/** A block that is loading. */
export function Skeleton({ label = 'Loading', className }: { label?: string; className?: string }) {
  const isLong = useIsLong();
  return (
    <div
      role="status"
      aria-label={label}
      aria-busy="true"
      className={clsx('flex flex-col gap-4 py-2', !isLong && 'opacity-0', className)}
    >
      <Bone className="w-2/5" />
      <Bone className="w-4/5" />
      <Bone className="w-3/5" />
    </div>
  );
}
