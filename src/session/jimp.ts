/** What we use of jimp, named so that the bundle leaves the rest out. Imported when the first image is too large. */
export { createJimp } from '@jimp/core'
export { default as jpeg } from '@jimp/js-jpeg'
export { default as png } from '@jimp/js-png'
export { methods as resize, ResizeStrategy } from '@jimp/plugin-resize'
