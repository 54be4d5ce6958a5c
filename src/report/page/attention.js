'use strict';
// Draws the maps in #data and lets a person choose layer, head and cell. Tokens are set as text, never as HTML.
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const T = data.tokens.length, L = data.layers, H = data.heads, cells = T * T;
  const at = id => document.getElementById(id);
  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const state = {layer: data.layer, head: data.head, query: T - 1, key: 0};  // -1: the mean

  // ---- the weights: 16 bits each, low byte first
  const bytes = Uint8Array.from(atob(data.weights), c => c.charCodeAt(0));
  const whole = new Float32Array(bytes.length / 2);
  for (let i = 0; i < whole.length; ++i) whole[i] = (bytes[2 * i] | bytes[2 * i + 1] << 8) / 65535;
  const kept = new Map();
  const mapOf = (layer, head) => {
    const name = layer + ' ' + head;
    if (kept.has(name)) return kept.get(name);
    const sum = new Float64Array(cells);
    let count = 0;
    for (let l = Math.max(layer, 0); l < (layer < 0 ? L : layer + 1); ++l) {
      for (let h = Math.max(head, 0); h < (head < 0 ? H : head + 1); ++h, ++count) {
        const from = (l * H + h) * cells;
        for (let i = 0; i < cells; ++i) sum[i] += whole[from + i];
      }
    }
    const mean = sum.map(v => v / count);
    kept.set(name, mean);
    return mean;
  };
  const nameOf = (layer, head) => layer < 0 && head < 0 ? 'Mean of all layers and heads' :
      (layer < 0 ? 'All layers' : 'Layer ' + layer) + ', ' + (head < 0 ? 'mean of its heads' : 'head ' + head);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const strong = () => dark.matches ? .57 : .75;  // from here on letters have the background's colour
  const strength = w => Math.sqrt(Math.min(1, Math.max(0, w)));

  // ---- the large map
  const canvas = at('map'), scroll = at('scroll');
  const font = size => size + 'px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace';
  const cut = (text, most) => [...text].length > most ? [...text].slice(0, most - 1).join('') + '\u2026' : text;
  const labels = data.tokens.map(token => cut(token, 14));
  const longest = Math.max(...labels.map(label => [...label].length));
  let grid = {cell: 20, left: 20, top: 20};
  const layOut = () => {
    const room = scroll.clientWidth - 2;
    const size = 12, left = Math.ceil(longest * size * .62) + 10;
    const cell = Math.max(10, Math.min(56, Math.floor((room - left) / T)));
    const every = Math.max(1, Math.ceil(13 / cell));
    const turned = label => [...label].length * size * .62 > cell * every - 2;  // too wide for its column
    grid = {cell, left, size, turned, every, top: labels.some(turned) ? left : size + 10};
  };
  const sized = (canvas, width, height) => {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = width + 'px';
    canvas.style.height = height + 'px';
    const pen = canvas.getContext('2d');
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    return pen;
  };
  const paint = () => {
    const {cell, left, top, size, turned, every} = grid, weights = mapOf(state.layer, state.head);
    const pen = sized(canvas, left + T * cell + 2, top + T * cell + 2);
    const accent = style('--accent'), ink = style('--ink'), on = style('--on'), muted = style('--muted');
    const small = Math.min(12, Math.floor(cell * .36));
    pen.textBaseline = 'middle';
    for (let q = 0; q < T; ++q) {
      for (let k = 0; k < T; ++k) {
        const w = weights[q * T + k];
        if (w <= 0) continue;
        pen.globalAlpha = strength(w);
        pen.fillStyle = accent;
        pen.fillRect(left + k * cell, top + q * cell, cell, cell);
        pen.globalAlpha = 1;
        if (cell < 27) continue;
        pen.font = font(small);
        pen.textAlign = 'center';
        pen.fillStyle = strength(w) > strong() ? on : ink;
        pen.fillText(w.toFixed(2), left + (k + .5) * cell, top + (q + .5) * cell);
      }
    }
    pen.strokeStyle = style('--line');
    pen.strokeRect(left - .5, top - .5, T * cell + 1, T * cell + 1);
    pen.font = font(size);
    for (let i = 0; i < T; ++i) {
      const chosenQuery = i === state.query, chosenKey = i === state.key;
      if (i % every !== 0 && !chosenQuery && !chosenKey) continue;
      pen.textAlign = 'right';
      pen.fillStyle = chosenQuery ? accent : muted;
      if (i % every === 0 || chosenQuery) pen.fillText(labels[i], left - 6, top + (i + .5) * cell);
      pen.fillStyle = chosenKey ? accent : muted;
      if (i % every !== 0 && !chosenKey) continue;
      pen.save();
      pen.translate(left + (i + .5) * cell, top - 6);
      if (turned(labels[i])) pen.rotate(-Math.PI / 2); else pen.translate(0, -size / 2);
      pen.textAlign = turned(labels[i]) ? 'left' : 'center';
      pen.fillText(labels[i], 0, 0);
      pen.restore();
    }
    pen.lineWidth = 2;
    pen.strokeStyle = ink;
    pen.strokeRect(left + state.key * cell + 1, top + state.query * cell + 1, cell - 2, cell - 2);
  };

  // ---- what is under the pointer, in words
  const say = at('say'), text = at('text');
  const spans = data.tokens.map((token, i) => {
    const span = make('span', '', token === '\u2423' ? '\u2423' : token);
    span.addEventListener('click', () => choose(i, Math.min(state.key, i)));
    text.append(span, document.createElement('wbr'));
    return span;
  });
  const tell = () => {
    const weights = mapOf(state.layer, state.head), w = weights[state.query * T + state.key];
    say.replaceChildren(
        make('b', '', w <= 0 ? 'not seen' : w.toFixed(4)),
        make('span', 'mono', data.tokens[state.query] + ' \u2192 ' + data.tokens[state.key]), make('br'),
        make('span', 'small muted', 'query ' + state.query + ', key ' + state.key + ', ' + nameOf(state.layer, state.head).toLowerCase()));
    const accent = style('--accent'), on = style('--on');
    spans.forEach((span, i) => {
      const part = weights[state.query * T + i];
      span.style.background = part > 0 ? 'color-mix(in srgb, ' + accent + ' ' + 100 * strength(part) + '%, transparent)' : '';
      span.style.color = part > 0 && strength(part) > strong() ? on : '';
      span.className = i === state.query ? 'query' : '';
      span.title = part > 0 ? part.toFixed(4) : '';
    });
  };
  const choose = (query, key) => {
    state.query = Math.max(0, Math.min(T - 1, query));
    state.key = Math.max(0, Math.min(T - 1, key));
    paint();
    tell();
  };
  const under = event => {
    const box = canvas.getBoundingClientRect();
    const key = Math.floor((event.clientX - box.left - grid.left) / grid.cell);
    const query = Math.floor((event.clientY - box.top - grid.top) / grid.cell);
    if (key >= 0 && key < T && query >= 0 && query < T && (key !== state.key || query !== state.query)) choose(query, key);
  };
  canvas.addEventListener('pointermove', under);
  canvas.addEventListener('pointerdown', under);
  canvas.addEventListener('keydown', event => {
    const moves = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (moves[event.key]) choose(state.query + moves[event.key][0], state.key + moves[event.key][1]);
    else if (event.key === 'Home') choose(state.query, 0);
    else if (event.key === 'End') choose(state.query, state.query);
    else return;
    event.preventDefault();
  });

  // ---- choice of layer and head
  const inputs = {layer: [], head: []};
  const thumbs = [];
  const show = () => {
    at('name').textContent = nameOf(state.layer, state.head);
    for (const what of ['layer', 'head']) inputs[what].forEach(input => { input.checked = Number(input.value) === state[what]; });
    thumbs.forEach(({button, layer, head}) => button.setAttribute('aria-pressed', String(layer === state.layer && head === state.head)));
    paint();
    tell();
  };
  const chips = (what, count) => {
    for (let i = -1; i < count; ++i) {
      const label = make('label', 'choice'), input = make('input');
      input.type = 'radio';
      input.name = what;
      input.value = i;
      input.addEventListener('change', () => { state[what] = i; show(); });
      label.append(input, make('span', '', i < 0 ? 'mean' : String(i)));
      at(what).append(label);
      inputs[what].push(input);
    }
  };
  chips('layer', L);
  chips('head', H);

  // ---- all maps, small
  const thumbColors = () => {
    const pen = make('canvas').getContext('2d');
    pen.fillStyle = style('--accent');
    pen.fillRect(0, 0, 1, 1);
    return pen.getImageData(0, 0, 1, 1).data;
  };
  const paintThumbs = () => {
    const [red, green, blue] = thumbColors();
    thumbs.forEach(({canvas, layer, head}) => {
      canvas.width = canvas.height = T;
      const pen = canvas.getContext('2d'), picture = pen.createImageData(T, T), weights = mapOf(layer, head);
      for (let i = 0; i < cells; ++i) picture.data.set([red, green, blue, 255 * strength(weights[i])], 4 * i);
      pen.putImageData(picture, 0, 0);
    });
    const legend = at('legend'), pen = sized(legend, 160, 14);
    for (let x = 0; x < 160; ++x) {
      pen.globalAlpha = strength(x / 160);
      pen.fillStyle = style('--accent');
      pen.fillRect(x, 0, 1, 14);
    }
  };
  const all = at('all');
  all.style.setProperty('--columns', String(H > 1 ? H + 1 : 1));
  for (let layer = 0; layer < L; ++layer) {
    for (let h = 0; h <= (H > 1 ? H : 0); ++h) {
      const head = h < H ? h : -1;
      const button = make('button'), canvas = make('canvas');
      button.type = 'button';
      button.setAttribute('aria-label', nameOf(layer, head));
      button.append(canvas, make('span', 'name', layer + '\u00b7' + (head < 0 ? 'mean' : head)));
      button.addEventListener('click', () => { state.layer = layer; state.head = head; show(); });
      all.append(button);
      thumbs.push({button, canvas, layer, head});
    }
  }

  const first = mapOf(state.layer, state.head).slice((T - 1) * T);
  state.key = first.indexOf(Math.max(...first));
  const redraw = () => { layOut(); paintThumbs(); show(); };
  let width = 0;
  new ResizeObserver(() => {
    if (scroll.clientWidth === width) return;
    width = scroll.clientWidth;
    redraw();
  }).observe(scroll);
  dark.addEventListener('change', redraw);
  redraw();
  document.body.dataset.drawn = 'yes';
})();
