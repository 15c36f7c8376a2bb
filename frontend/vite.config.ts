import { fileURLToPath } from 'node:url';
import { constants } from 'node:zlib';
import { doors } from '@lightbox/contract/doors.js';
import { socketPath } from '@lightbox/contract/socketPath.js';
import react from '@vitejs/plugin-react';
import { compression, defineAlgorithm } from 'vite-plugin-compression2';
import { defineConfig } from 'vitest/config';
import { emojiData } from './emojiData';
import { chunkOf } from './firstLoad';
import { paintFirst } from './firstPaint';
import { leanContract } from './leanContract';
import { leanIcons } from './leanIcons';
import { serviceWorker } from './pwa/plugin';

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));
const gateway = process.env.GATEWAY_URL ?? `http://127.0.0.1:${process.env.PORT ?? 3000}`;

const main = [source('main.tsx')];
const signIn = [...main, source('auth/Login.tsx')];
/** The other screens without a session. They do not load the frame. */
const open = [
  'landing/Landing',
  'auth/Register/index',
  'auth/VerifyAccount',
  'auth/ForgotPassword',
  'auth/ResetPassword',
  'auth/NotMe',
].map((name) => source(`${name}.tsx`));
const guests = ['guests/GuestLink', 'requests/SendImages'].map((name) => source(`${name}.tsx`));
const frame = ['Queries', 'RequireSession', 'Shell'].map((name) => source(`app/${name}.tsx`));
const framed = [...signIn, ...frame, ...open, ...guests];
const images = [source('app/ImagesScreen.tsx')];
const chats = [source('app/MessagesScreen.tsx')];

/**
 * One chunk for each library that every screen needs, so that browsers keep them in the cache over our releases; one for
 * the code of the sign-in, and one for the frame of the signed-in screens. The Chakra chunk has only the parts that most
 * screens use: /login does not load comboboxes. Modules that many
 * screens share lie together: a small file compresses badly.
 */
const shared = [
  {
    name: 'react',
    // `Trans` is left out: the first screens do not use it.
    test: /node_modules\/(react|react-dom|react-router|react-router-dom|scheduler|jotai|i18next|react-i18next(?!\/dist\/es\/Trans))\//,
  },
  { name: 'chakra', test: /node_modules\/(@chakra-ui|@ark-ui|@zag-js|@emotion|@floating-ui)\//, minShareCount: 42 },
  { name: chunkOf('sign-in', signIn, main) },
  { name: chunkOf('everywhere', [...frame, ...images, ...chats], signIn, open), includeDependenciesRecursively: false },
  { name: chunkOf('inside', frame, [...signIn, ...open], guests), includeDependenciesRecursively: false },
  { name: chunkOf('frame', frame, [...signIn, ...open, ...guests]), includeDependenciesRecursively: false },
  { name: 'query', test: /node_modules\/@tanstack\//, minShareCount: 2, includeDependenciesRecursively: false },
  {
    name: 'tooltip',
    test: /node_modules\/(@floating-ui|@zag-js\/(popper|rect-utils|store|tooltip)|(@ark-ui|@chakra-ui)\/react\/.*\/(separator|skeleton|tooltip))\//,
    minShareCount: 2,
    includeDependenciesRecursively: false,
  },
  {
    name: 'machines',
    test: /node_modules\/(@zag-js\/(core|dismissable|dom-query|focus-visible|interact-outside|presence|react|types|utils)|@ark-ui\/react\/.*\/(portal|presence|utils))\//,
    minShareCount: 2,
    includeDependenciesRecursively: false,
  },
  // Without this it lies beside the screen, which imports the chats, and they use it before it is there.
  { name: 'links', test: /node_modules\/(linkify-it|uc\.micro)\// },
  { name: chunkOf('first-screens', images, framed, chats), includeDependenciesRecursively: false },
  { name: chunkOf('gallery', images, [...framed, ...chats]), includeDependenciesRecursively: false },
  { name: chunkOf('chats', chats, [...framed, ...images]), includeDependenciesRecursively: false },
];

/** The gateway sends these files instead of compressing the same file for each browser. */
const compressed = (include: RegExp, quality: number) =>
  compression({
    include,
    threshold: 512,
    logLevel: 'silent',
    algorithms: ['gzip', defineAlgorithm('brotliCompress', { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })],
  });

/** Most visitors load these files. The highest quality, 11, makes them smaller, but takes ten times longer than 9. */
const first =
  'react|index|chakra|sign-in|everywhere|inside|frame|query|tooltip|machines|links|first-screens|gallery|chats|signedIn|further';
const mostVisits = new RegExp(`assets/(${first})-[^/]*\\.js$`);
const others = new RegExp(`assets/(?!(?:${first})-).*\\.(js|css|wasm|svg)$`);

export default defineConfig({
  plugins: [
    react(),
    emojiData(),
    leanContract(),
    leanIcons(),
    paintFirst(),
    serviceWorker(),
    compressed(mostVisits, 11),
    compressed(others, 9),
  ],
  server: {
    host: '127.0.0.1',
    proxy: {
      '/api': gateway,
      [socketPath]: { target: gateway, ws: true },
      ...Object.fromEntries(Object.values(doors).map((path) => [path, gateway])),
    },
  },
  preview: { host: '127.0.0.1' },
  resolve: {
    // vtk.js needs this library only to write XML files, which the viewer does not.
    alias: { xmlbuilder2: source('viewer/engine/noXml.ts') },
  },
  // The decoders of the viewer are modules that load their WebAssembly by address.
  worker: { format: 'es' },
  optimizeDeps: {
    exclude: ['@cornerstonejs/dicom-image-loader'],
    include: ['dicom-parser'],
  },
  build: {
    outDir: 'dist',
    // The test of the first page's weight reads the imports of each chunk here. The gateway serves no dot files.
    manifest: true,
    // No data: URLs, because the content security policy allows fonts and pictures from our own origin.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: { codeSplitting: { groups: shared } },
      // Chakra's theme makes an object of all recipes with these functions. Without this the build keeps the unused ones.
      treeshake: { manualPureFunctions: ['defineConfig', 'createAnatomy'] },
    },
  },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['vitest.setup.ts'],
    restoreMocks: true,
  },
});
