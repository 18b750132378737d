const KEPT_MS = 60_000;

/** The least latency of the last one to two minutes. */
export class LeastLatency {
  private current = Number.POSITIVE_INFINITY;
  private previous = Number.POSITIVE_INFINITY;
  private endsAt = Number.NEGATIVE_INFINITY;

  add(latencyMs: number, now: number): void {
    if (now >= this.endsAt) {
      this.previous = now >= this.endsAt + KEPT_MS ? Number.POSITIVE_INFINITY : this.current;
      this.current = Number.POSITIVE_INFINITY;
      this.endsAt = now + KEPT_MS;
    }
    this.current = Math.min(this.current, latencyMs);
  }

  /** Least latencies of longer ago no longer count. */
  raise(latencyMs: number): void {
    this.current = latencyMs;
    this.previous = Number.POSITIVE_INFINITY;
  }

  get(): number {
    return Math.min(this.current, this.previous);
  }
}
