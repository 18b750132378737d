/** The gRPC status codes that matter here. */
export const GRPC_STATUS = {
  invalidArgument: 3,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  unimplemented: 12,
  unauthenticated: 16,
} as const;

/** The status code of a failed call to Temporal, which the SDK wraps; undefined for any other error. */
export const grpcStatusOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error
    ? error.code
    : error instanceof Error
      ? grpcStatusOf(error.cause)
      : undefined;
