'use strict';
// Draws the curves of the page from the JSON in #data, and lets a person zoom, smooth and choose. Every text that comes
// from a run is set as textContent, never as HTML.
(() => {
  const root = document.documentElement;
  const data = JSON.parse(document.getElementById('data').textContent);
  const state = {x: 'step', smooth: 0, log: false, window: null};
  const charts = [];
  const dashes = [null, [7, 3], [2, 3], [8, 3, 2, 3]];
  const colors = 8;
  let syncing = false;

  const style = name => getComputedStyle(root).getPropertyValue(name).trim();
  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // ---- numbers as people read them
  const number = v => {
    if (v === null || v === undefined) return '–';
    if (Number.isNaN(v)) return 'NaN';
    const size = Math.abs(v);
    if (size !== 0 && (size < 1e-4 || size >= 1e6)) return v.toExponential(2).replace(/\.?0+e/, 'e').replace('e+', 'e');
    if (size >= 1000) return String(Math.round(v)).replace(/\B(?=(\d{3})+$)/g, '\u202f');
    return String(Number(v.toPrecision(size >= 100 ? 4 : size >= 1 ? 5 : size >= 0.1 ? 4 : 3)));
  };
  const count = v => {
    for (const [size, suffix] of [[1e12, 'T'], [1e9, 'B'], [1e6, 'M'], [1e3, 'k']]) {
      if (Math.abs(v) >= size) return Number((v / size).toPrecision(3)) + suffix;
    }
    return String(Number(v.toPrecision(4)));
  };
  const duration = s => {
    const two = n => String(n).padStart(2, '0');
    if (Math.abs(s) < 60) return Number(s.toPrecision(3)) + ' s';
    const whole = Math.round(s);
    if (whole < 3600) return Math.floor(whole / 60) + ':' + two(whole % 60) + ' min';
    return Math.floor(whole / 3600) + ':' + two(Math.floor(whole / 60) % 60) + ' h';
  };
  const axisText = v => state.x === 'seconds' ? duration(v) : v % 1 ? '' : count(v);  // no half steps
  const placeText = v => {
    if (state.x === 'seconds') return 'after ' + duration(v);
    return state.x === 'tokens' ? count(v) + ' tokens' : 'step ' + Math.round(v);
  };

  // ---- points of a series
  const pointsOf = series => {
    const columns = data.runs[series.run].columns;
    const xs = columns[state.x], ys = columns[series.metric], points = [];
    if (!xs || !ys) return points;
    for (let i = 0; i < ys.length; ++i) {
      if (ys[i] === null || typeof xs[i] !== 'number') continue;
      points.push([xs[i], ys[i] === false ? NaN : ys[i]]);  // false: logged, but not finite
    }
    return points.sort((a, b) => a[0] - b[0]);
  };
  // Exponential moving average, corrected for its start. Source: Kingma and Ba, Adam, section 3.
  const smoothed = (points, weight) => {
    let mean = 0, seen = 0;
    return points.map(([x, y]) => {
      if (Number.isNaN(y)) return [x, y];
      mean = weight * mean + (1 - weight) * y;
      ++seen;
      return [x, mean / (1 - Math.pow(weight, seen))];
    });
  };
  const at = (points, x) => {  // the last point that is not behind x
    let low = 0, high = points.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (points[middle][0] <= x) low = middle + 1; else high = middle;
    }
    return low > 0 ? points[low - 1][1] : null;
  };

  class Chart {
    constructor(spec, place) {
      this.spec = spec;
      this.hidden = spec.series.map(() => false);
      this.box = make('section', 'panel chart' + (spec.wide ? ' wide' : ''));
      const top = make('div', 'top');
      this.place = make('span', 'at');
      top.append(make('h3', '', spec.title), make('span', 'unit', spec.unit), this.place);
      this.key = make('div', 'key');
      this.plot = make('div', 'plot');
      this.box.append(top, this.key, this.plot);
      place.append(this.box);
      this.read();
      this.makeKey();
      if (this.points.every(points => points.every(([, y]) => Number.isNaN(y)))) {
        this.plot.replaceWith(make('p', 'none', 'No number was logged.'));
        return;
      }
      this.plot.tabIndex = 0;
      this.plot.setAttribute('role', 'group');
      this.plot.setAttribute('aria-label', spec.title + ', curve. Plus and minus zoom, arrows move, 0 shows all.');
      this.plot.addEventListener('keydown', event => this.onKey(event));
      this.graph = new Dygraph(this.plot, this.table(), this.options());
      this.say(null);
    }
    read() {
      this.points = this.spec.series.map(pointsOf);
      this.lines = this.points.map((points, i) =>
          state.smooth > 0 && this.spec.series[i].smooth ? smoothed(points, state.smooth) : points);
    }
    color(i) { return style('--c' + this.spec.series[i].color % colors); }
    makeKey() {
      this.buttons = this.spec.series.map((series, i) => {
        const button = make('button');
        button.type = 'button';
        button.setAttribute('aria-pressed', 'true');
        button.title = 'Show or hide';
        const line = make('i'), value = make('b');
        button.append(line, make('span', 'name', series.label), value);
        button.addEventListener('click', () => {
          this.hidden[i] = !this.hidden[i];
          button.setAttribute('aria-pressed', String(!this.hidden[i]));
          if (this.graph) quietly(() => this.graph.updateOptions({visibility: this.visibility()}));
        });
        this.key.append(button);
        return {button, line, value};
      });
      this.paintKey();
    }
    paintKey() {
      this.buttons.forEach(({line}, i) => {
        line.style.borderTopColor = this.color(i);
        line.style.borderTopStyle = this.spec.series[i].color >= colors ? 'dashed' : 'solid';
      });
    }
    // Two columns a series: as logged, faint, and smoothed.
    table() {
      const rows = new Map();
      const put = (points, column) => points.forEach(([x, y]) => {
        if (!rows.has(x)) rows.set(x, new Array(2 * this.points.length).fill(null));
        rows.get(x)[column] = y;
      });
      this.points.forEach((points, i) => put(points, 2 * i));
      this.lines.forEach((points, i) => put(points, 2 * i + 1));
      this.xs = [...rows.keys()].sort((a, b) => a - b);
      return this.xs.map(x => [x, ...rows.get(x)]);
    }
    visibility() {
      return this.spec.series.flatMap((series, i) => [!this.hidden[i] && state.smooth > 0 && series.smooth, !this.hidden[i]]);
    }
    window() {
      if (state.window) return state.window;
      return this.xs.length === 1 ? [this.xs[0] - 1, this.xs[0] + 1] : null;
    }
    looks() {
      const series = {};
      this.spec.series.forEach((one, i) => {
        const color = this.color(i), points = one.points || this.points[i].length < 3;
        series[i + ' raw'] = {color: color + '55', strokeWidth: 1, drawPoints: false, highlightCircleSize: 0};
        series[i + ''] = {color, strokeWidth: 2, drawPoints: points, pointSize: 2.5, highlightCircleSize: 4,
                          strokePattern: dashes[Math.floor(one.color / colors) % dashes.length]};
      });
      return {
        series,
        axes: {
          x: {axisLabelFormatter: axisText, axisLabelWidth: 64, pixelsPerLabel: state.x === 'seconds' ? 70 : 42},
          y: {axisLabelFormatter: number, axisLabelWidth: 54, pixelsPerLabel: 34},
        },
        gridLineColor: style('--grid'),
        axisLineColor: style('--line'),
        logscale: state.log && this.spec.log,
        visibility: this.visibility(),
        dateWindow: this.window(),
      };
    }
    options() {
      const model = Object.assign({}, Dygraph.defaultInteractionModel);
      const follow = (event, graph) => {  // one finger reads and scrolls, two zoom
        const box = this.plot.getBoundingClientRect();
        tell(graph.toDataXCoord(event.touches[0].clientX - box.left));
      };
      for (const name of ['touchstart', 'touchmove']) {
        const pinch = model[name];
        model[name] = (event, graph, context) =>
            event.touches.length > 1 ? pinch(event, graph, context) : follow(event, graph);
      }
      return Object.assign(this.looks(), {
        labels: ['x', ...this.spec.series.flatMap((series, i) => [i + ' raw', i + ''])],
        legend: 'never',
        connectSeparatedPoints: true,
        rightGap: 8,
        yRangePad: 8,
        xRangePad: 4,
        interactionModel: model,
        highlightCallback: (event, x) => tell(x),
        unhighlightCallback: () => tell(null),
        drawCallback: (graph, first) => first || this.onDraw(),
      });
    }
    onDraw() {
      if (syncing || !this.graph) return;
      const range = this.graph.isZoomed('x') ? this.graph.xAxisRange() : null;
      if (String(range) !== String(state.window)) show(range, this);
    }
    refresh(withData) {
      this.paintKey();
      if (withData) this.read();
      if (this.graph) {
        const options = this.looks();
        if (withData) options.file = this.table();
        options.dateWindow = this.window();
        quietly(() => this.graph.updateOptions(options));
      }
      this.say(null);
    }
    say(x) {
      this.buttons.forEach(({value}, i) => {
        const points = this.lines[i];
        const last = points.length ? points[points.length - 1][1] : null;
        value.textContent = number(x === null ? last : at(points, x));
      });
      this.place.textContent = x === null ? '' : placeText(x);
    }
    onKey(event) {
      const [low, high] = this.graph.xAxisRange(), [first, last] = this.graph.xAxisExtremes();
      const middle = (low + high) / 2, half = (high - low) / 2;
      const zoom = factor => show([middle - half * factor, middle + half * factor]);
      const move = part => show([low + 2 * half * part, high + 2 * half * part]);
      const actions = {
        '+': () => zoom(0.5), '=': () => zoom(0.5),
        '-': () => 4 * half >= last - first ? show(null) : zoom(2),
        ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2),
        0: () => show(null), Home: () => show(null), Escape: () => show(null),
      };
      const action = event.ctrlKey || event.metaKey || event.altKey ? null : actions[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    }
  }

  const quietly = work => {
    const before = syncing;
    syncing = true;
    work();
    syncing = before;
  };
  const tell = x => charts.forEach(chart => chart.say(x));
  // Shows the same part of the x axis in every chart; null: everything.
  const show = (range, origin) => {
    state.window = range;
    whole.disabled = range === null;
    quietly(() => charts.forEach(chart => {
      if (!chart.graph || (chart === origin && range !== null)) return;
      if (range === null) chart.graph.resetZoom();
      chart.graph.updateOptions({dateWindow: chart.window()});
    }));
  };

  // ---- the bar above the curves
  const bar = document.getElementById('bar'), whole = make('button', '', 'Whole range');
  const buildBar = () => {
    const axes = make('fieldset');
    axes.append(make('legend', '', 'Against'));
    for (const [value, text] of [['step', 'steps'], ['tokens', 'tokens'], ['seconds', 'time']]) {
      const label = make('label', 'choice'), input = make('input');
      Object.assign(input, {type: 'radio', name: 'x', value, checked: value === state.x});
      input.addEventListener('change', () => {
        state.x = value;
        show(null);
        charts.forEach(chart => chart.refresh(true));
      });
      label.append(input, make('span', '', text));
      axes.append(label);
    }
    const smooth = make('label', 'line', 'Smoothing'), range = make('input'), shown = make('output', '', '0');
    Object.assign(range, {type: 'range', min: 0, max: 99, value: 0, id: 'smoothing'});
    range.addEventListener('input', () => {
      state.smooth = range.value / 100;
      shown.textContent = String(state.smooth);
      charts.forEach(chart => chart.refresh(true));
    });
    smooth.append(range, shown);
    const log = make('label', 'line'), check = make('input');
    Object.assign(check, {type: 'checkbox', id: 'log'});
    check.addEventListener('change', () => {
      state.log = check.checked;
      charts.forEach(chart => chart.refresh(false));
    });
    log.append(check, 'Log scale');
    Object.assign(whole, {type: 'button', disabled: true});
    whole.addEventListener('click', () => show(null));
    bar.append(axes, smooth, log, whole);
    bar.hidden = false;
  };

  // ---- samples over time: one at a time, chosen with a slider
  const buildSamples = () => {
    const list = document.getElementById('samples');
    const items = list ? [...list.querySelectorAll('details')] : [];
    if (items.length < 2) return;
    const slider = make('div', 'slider'), range = make('input'), output = make('output');
    Object.assign(range, {type: 'range', min: 0, max: items.length - 1, value: items.length - 1, id: 'sample'});
    range.setAttribute('aria-label', 'Sample at step');
    const choose = () => items.forEach((item, i) => {
      item.hidden = i !== Number(range.value);
      item.open = !item.hidden;
      if (item.hidden) return;
      output.textContent = item.querySelector('summary').textContent;
      range.setAttribute('aria-valuetext', output.textContent);
    });
    range.addEventListener('input', choose);
    slider.append(range, output);
    list.before(slider);
    list.classList.add('shown');
    choose();
  };

  buildBar();
  const place = document.getElementById('charts');
  place.textContent = '';
  data.charts.forEach(spec => charts.push(new Chart(spec, place)));
  buildSamples();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => charts.forEach(chart => chart.refresh(false)));
  document.querySelectorAll('[data-color]').forEach(element => {
    element.style.background = 'var(--c' + element.dataset.color % colors + ')';
  });
  root.dataset.drawn = String(charts.filter(chart => chart.graph).length);
  window.minnow = {charts, state, show};  // for the console, and for tests
})();
