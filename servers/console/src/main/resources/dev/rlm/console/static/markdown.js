// Texts of models as Markdown, where that is asked for. HTML comes about here alone: marked makes it, DOMPurify lets through what is listed.
import {marked} from './vendor/marked.js'
import DOMPurify from './vendor/purify.js'
import {visible} from './format.js'

const escaped = text => text.replace(/[&<>"']/g, each => '&#' + each.charCodeAt(0) + ';')

marked.use({
  renderer: {
    heading({tokens}) { return `<p><strong>${this.parser.parseInline(tokens)}</strong></p>` },
    html({text}) { return escaped(text) }, // of the text itself: shown, not obeyed
    image({href, text}) { return `<code>[image ${escaped(text)} ${escaped(href)}]</code>` }, // named, never loaded
    checkbox({checked}) { return checked ? '☑ ' : '☐ ' }
  }
})

const RULES = {
  ALLOWED_TAGS: ['p', 'br', 'hr', 'em', 'strong', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'a'],
  ALLOWED_ATTR: ['href', 'start', 'align'], ALLOWED_URI_REGEXP: /^https?:/i, ALLOW_DATA_ATTR: false, ALLOW_ARIA_ATTR: false, RETURN_DOM_FRAGMENT: true
}

DOMPurify.addHook('afterSanitizeAttributes', node => {
  if (node.nodeName === 'A' && node.hasAttribute('href')) {
    node.setAttribute('rel', 'noopener noreferrer')
    node.setAttribute('target', '_blank')
    node.setAttribute('title', node.getAttribute('href'))
  }
})

/** The text as elements. */
export const markdown = text => DOMPurify.sanitize(marked.parse(visible(text)), RULES)
