// What all modules build their elements with. Texts are children, never HTML.
import {h, render, Fragment} from './vendor/preact.js'
import htm from './vendor/htm.js'

export const html = htm.bind(h)
export {render, Fragment}
export {useEffect, useLayoutEffect, useMemo, useRef, useState} from './vendor/hooks.js'
