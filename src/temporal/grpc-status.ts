/** Of gRPC's status codes those that mean something here. */
export const GRPC_STATUS = {
  invalidArgument: 3,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  unauthenticated: 16,
} as const;

/** The status code of what a call to Temporal failed with, which the SDK wraps; undefined for any other error. */
export const grpcStatusOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error
    ? error.code
    : error instanceof Error
      ? grpcStatusOf(error.cause)
      : undefined;
