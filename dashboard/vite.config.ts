import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where `npm run dashboard` sends the calls of its pages: a service that runs. */
// oxlint-disable-next-line node/no-process-env -- read by the developers' server alone
const service = process.env['POSTHORN_URL'] ?? 'http://localhost:3000';

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the files work under any address: the service puts its own into index.html (src/api/dashboard-files.ts).
  base: './',
  plugins: [react(), tailwind()],
  build: {
    emptyOutDir: true,
    // The polyfill is an inline script, which the content security policy refuses.
    modulePreload: { polyfill: false },
    // Read by a test that holds each page to its size.
    manifest: true,
    assetsInlineLimit: 0,
    target: 'es2023',
    reportCompressedSize: false,
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      ['/v1', '/oauth', '/healthz', '/readyz', '/connectors'].map((path) => [path, { target: service }]),
    ),
  },
});
