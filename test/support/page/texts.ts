// Texts of a page as the eye meets them: those that lie on each other, and those that are cut without a sign. Texts on
// canvases count too. The test of all views and the bench measure with this.
import type { Browser, Page } from 'playwright-core';
import { goTo, type Look, openPage, viewsOf } from './browser.ts';

export type Texts = { readonly overlaps: readonly string[]; readonly cutTexts: readonly string[] };

/**
 * Remembers where canvases draw texts, in pixels of the canvas. To be added to a page before it is opened. What is cleared
 * is forgotten.
 */
export const WATCH_CANVASES = `{
  const proto = CanvasRenderingContext2D.prototype;
  const drawn = (globalThis.drawnTexts = new WeakMap());
  const { fillText, clearRect } = proto;
  proto.clearRect = function (x, y, width, height) {
    if (width * this.getTransform().a >= this.canvas.width - 1) drawn.set(this.canvas, []);
    return clearRect.call(this, x, y, width, height);
  };
  proto.fillText = function (text, x, y, ...more) {
    const { actualBoundingBoxLeft: left, actualBoundingBoxRight: right, actualBoundingBoxAscent: up, actualBoundingBoxDescent: down } = this.measureText(text);
    const matrix = this.getTransform();
    const corners = [[x - left, y - up], [x + right, y - up], [x - left, y + down], [x + right, y + down]].map(([px, py]) => matrix.transformPoint({ x: px, y: py }));
    const [xs, ys] = [corners.map((one) => one.x), corners.map((one) => one.y)];
    const list = drawn.get(this.canvas) ?? [];
    drawn.set(this.canvas, list);
    if (String(text).trim() !== '') list.push({ text: String(text), left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) });
    return fillText.call(this, text, x, y, ...more);
  };
}`;

const MEASURE = `(() => {
  const WIDE = 1.5;
  const short = (text) => JSON.stringify(text.replace(/\\s+/g, ' ').trim().slice(0, 60));
  const cut = [];
  const boxes = [];
  const styles = new Map();
  const styleOf = (element) => styles.get(element) ?? (styles.set(element, getComputedStyle(element)), styles.get(element));
  const hasFade = (element) => [element, element.parentElement].some((one) => one !== null && /gradient/.test(styleOf(one).backgroundImage + styleOf(one).maskImage));
  const isUnseen = (element) => { for (let one = element; one !== null; one = one.parentElement) if (/inset\\(50%/.test(styleOf(one).clipPath)) return true; return false; };
  const reads = (element) => element.closest('[title], [tabindex="0"], a[href], button, [role=gridcell]') !== null;
  /** The part of a box that its ancestors let through, and whether something is lost without a sign. */
  const through = (element, box) => {
    let { left, right, top, bottom } = box;
    let lost = null;
    let isFixed = false;
    for (let one = element; one !== null && one !== document.body; one = one.parentElement) {
      const style = styleOf(one);
      if (isFixed) { if (style.position !== 'static') isFixed = false; else continue; }
      if (style.display !== 'inline') {
        const clips = { x: style.overflowX !== 'visible', y: style.overflowY !== 'visible' };
        if (/strict|paint|content/.test(style.contain)) clips.x = clips.y = true;
        if (clips.x || clips.y) {
          const own = one.getBoundingClientRect();
          const inner = { left: own.left + one.clientLeft, top: own.top + one.clientTop };
          inner.right = inner.left + one.clientWidth;
          inner.bottom = inner.top + one.clientHeight;
          const scrolls = (value) => value === 'auto' || value === 'scroll';
          if (clips.x && (left < inner.left - WIDE || right > inner.right + WIDE)) {
            const ellipsis = style.textOverflow === 'ellipsis' && reads(one);
            const edge = scrolls(style.overflowX) && hasFade(one);
            if (!ellipsis && !edge) lost ??= one;
            [left, right] = [Math.max(left, inner.left), Math.min(right, inner.right)];
          }
          if (clips.y && (top < inner.top - 3 || bottom > inner.bottom + 3)) {
            const clamped = style.webkitLineClamp !== 'none' && reads(one);
            if (!clamped && !scrolls(style.overflowY)) lost ??= one;
            [top, bottom] = [Math.max(top, inner.top), Math.min(bottom, inner.bottom)];
          }
        }
      }
      if (style.position === 'absolute') isFixed = true;
      if (style.position === 'fixed') break;
    }
    return { box: { left, right, top, bottom }, lost };
  };
  const nameOf = (element) => element.tagName.toLowerCase() + [...element.classList].map((one) => '.' + one).join('');
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() === '' || /^(SCRIPT|STYLE|OPTION|TITLE|DATALIST)$/.test(element.tagName) || element.closest('svg') !== null) continue;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || isUnseen(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    let lostIn = null;
    for (const rect of range.getClientRects()) {
      // Spaces at the end of a line hang beyond it.
      if (rect.width < (styleOf(element).whiteSpace.startsWith('pre') ? 6 : 1)) continue;
      const { box, lost } = through(element, rect);
      lostIn ??= lost;
      if (box.right - box.left > 1 && box.bottom - box.top > 3) boxes.push({ node, element, text: node.data, ...box });
    }
    if (lostIn !== null) cut.push(short(node.data) + ' in ' + nameOf(element) + ', cut by ' + nameOf(lostIn));
  }
  for (const field of document.querySelectorAll('select')) {
    if (!field.checkVisibility()) continue;
    const probe = document.createElement('canvas').getContext('2d');
    const style = styleOf(field);
    probe.font = style.font;
    const text = field.selectedOptions[0]?.textContent ?? '';
    const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    if (probe.measureText(text).width > room + 4 && style.textOverflow !== 'ellipsis') cut.push(short(text) + ' in a select of ' + Math.round(room) + ' pixels');
  }
  for (const canvas of document.querySelectorAll('canvas')) {
    if (!canvas.checkVisibility() || canvas.clientWidth === 0) continue;
    const place = canvas.getBoundingClientRect();
    const k = place.width / canvas.width;
    const moves = canvas.closest('.tree') !== null;
    for (const { text, left, right, top, bottom } of globalThis.drawnTexts?.get(canvas) ?? []) {
      const seen = { left: Math.max(0, left), right: Math.min(canvas.width, right), top: Math.max(0, top), bottom: Math.min(canvas.height, bottom) };
      if (!moves && (left < -WIDE || right > canvas.width + WIDE || top < -3 || bottom > canvas.height + 3)) cut.push(short(text) + ' on a canvas');
      if (seen.right - seen.left > 1 && seen.bottom - seen.top > 1)
        boxes.push({ node: null, element: canvas, text, left: place.left + k * seen.left, right: place.left + k * seen.right, top: place.top + k * seen.top, bottom: place.top + k * seen.bottom });
    }
  }
  const isOpaque = (element) => !/^rgba\\(.*, 0\\)$|^transparent$/.test(styleOf(element).backgroundColor);
  /** One of two texts is not seen where something opaque lies between them. */
  const areBothSeen = (a, b, x, y) => {
    if (a.element === b.element) return true;
    scrollTo(0, Math.max(0, y + startY - innerHeight / 2));
    const stack = document.elementsFromPoint(x, y + startY - scrollY);
    const [low, high] = [stack.indexOf(a.element), stack.indexOf(b.element)].sort((one, other) => one - other);
    if (low < 0) return high >= 0 && !stack.slice(0, high).some(isOpaque);
    return !stack.slice(low, high).some((element) => isOpaque(element) && element !== stack[high]);
  };
  const startY = scrollY;
  const overlaps = [];
  boxes.sort((a, b) => a.top - b.top);
  for (const [index, a] of boxes.entries())
    for (let other = index + 1; other < boxes.length && boxes[other].top < a.bottom; other++) {
      const b = boxes[other];
      if (a.node !== null && a.node === b.node) continue;
      const [width, height] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - b.top];
      if (width < 2 || height < 0.25 * Math.min(a.bottom - a.top, b.bottom - b.top)) continue;
      if (areBothSeen(a, b, Math.max(a.left, b.left) + width / 2, b.top + height / 2)) overlaps.push(short(a.text) + ' in ' + nameOf(a.element) + ' and ' + short(b.text) + ' in ' + nameOf(b.element));
    }
  scrollTo(0, startY);
  return { overlaps: [...new Set(overlaps)], cutTexts: [...new Set(cut)] };
})()`;

/** What is wrong with the texts that are shown now. */
const measureTexts = (page: Page): Promise<Texts> => page.evaluate<Texts>(MEASURE);

/** The widths at which people look, in both themes. */
export const TEXT_LOOKS: readonly Look[] = (['desk', 'tablet', 'phone'] as const).flatMap((size) =>
  (['light', 'dark'] as const).map((theme) => ({ size, theme })),
);

/** The same over all these views of a page, each text with the view that it stands in. */
export const measureViews = async (page: Page, url: string, views: readonly string[]): Promise<Texts> => {
  const all = { overlaps: [] as string[], cutTexts: [] as string[] };
  for (const hash of views) {
    await goTo(page, url, hash);
    // Plots are drawn in the frame after their data came.
    await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`);
    const { overlaps, cutTexts } = await measureTexts(page);
    all.overlaps.push(...overlaps.map((text) => `${hash}: ${text}`));
    all.cutTexts.push(...cutTexts.map((text) => `${hash}: ${text}`));
  }
  return all;
};

/** The same over all views that a page of a server names for a run, and over these. */
export const measureLook = async (
  browser: Browser,
  url: string,
  look: Look,
  { run, more }: { readonly run: string; readonly more: readonly string[] },
): Promise<Texts> => {
  const { page, close } = await openPage(browser, url, look);
  await page.addInitScript(WATCH_CANVASES);
  await goTo(page, `${url}/`, `#/run/${run}`);
  const found = await measureViews(page, `${url}/`, [...(await viewsOf(page)), ...more]);
  await close();
  return found;
};
