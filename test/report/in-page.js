/** What the tests of the transcript page ask inside the page. Loaded into it by the test, before the page itself. */
globalThis.probes = {
  openFolds() {
    for (const fold of document.querySelectorAll('details')) fold.open = true
  },

  /** The contrast of every text with what is behind it, by WCAG 2.2: 4.5 to 1 for text of any size. */
  contrasts() {
    const channels = (color) => (color.match(/[\d.]+/g) ?? []).map(Number)
    const linear = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)
    const luminance = (color) => {
      const [red, green, blue] = channels(color).map(linear)
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const behind = (element) => {
      const { backgroundColor } = getComputedStyle(element)
      return channels(backgroundColor)[3] === 0 && element.parentElement ? behind(element.parentElement) : backgroundColor
    }
    const poor = []
    let seen = 0
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement
      const text = node.textContent.trim()
      if (text === '' || element.tagName === 'title') continue
      seen++
      const { color, fill } = getComputedStyle(element)
      const [a, b] = [luminance(element instanceof SVGElement ? fill : color), luminance(behind(element))]
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
      if (ratio < 4.5) poor.push(`${text.slice(0, 40)}: ${ratio.toFixed(2)} in ${element.tagName} ${element.className}`)
    }
    return { poor, seen, background: getComputedStyle(document.body).backgroundColor }
  },

  /** Where the keyboard is. */
  focus() {
    const element = document.activeElement
    return {
      text: element.textContent,
      fold: [...document.querySelectorAll('summary')].indexOf(element),
      open: element.closest('details')?.open,
      inView: element.getBoundingClientRect().left >= 0,
      outline: getComputedStyle(element).outlineStyle,
    }
  },

  /** Everything that a text could have brought into the page. */
  foreign() {
    const elements = [...document.querySelectorAll('body *')]
    return {
      ran: globalThis.ran,
      elements: elements.map(({ tagName }) => tagName.toLowerCase()).filter((tag) => /^(?:script|style|iframe|object|embed|form|img|base|b)$/.test(tag)),
      attributes: elements.flatMap((element) => element.getAttributeNames().filter((name) => name.startsWith('on') || name === 'style' || name === 'srcset')),
      links: [...document.querySelectorAll('a')].map((link) => link.protocol).filter((protocol) => !/^https?:$/.test(protocol)),
      articles: document.querySelectorAll('main > section > article').length,
    }
  },

  picture() {
    const image = document.querySelector('img')
    return { words: image.alt, width: image.naturalWidth }
  },

  width: () => document.documentElement.scrollWidth,

  /** Bars that are drawn outside the timeline. */
  outside() {
    const drawing = document.querySelector('header svg[role=img]')
    const frame = drawing.getBoundingClientRect()
    return [...drawing.querySelectorAll('rect')].filter((bar) => {
      const box = bar.getBoundingClientRect()
      return box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1
    }).length
  },

  /** Whether what is in the first fold of a tool can be seen, and on what ground. Folds follow a change of the medium with the next frame. */
  async paper() {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
    const text = document.querySelector('article .tool pre')
    return {
      visible: text.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true }) && text.getBoundingClientRect().height > 0,
      background: getComputedStyle(document.body).backgroundColor,
    }
  },

  structure() {
    return {
      levels: [...document.querySelectorAll('h1, h2, h3, h4')].map(({ tagName }) => Number(tagName.slice(1))),
      ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
      border: getComputedStyle(document.querySelector('article')).borderLeftWidth,
    }
  },
}
