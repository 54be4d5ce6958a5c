'use strict';
// Shows one step at a time; without it the page shows them all below each other.
(() => {
  const at = id => document.getElementById(id);
  const steps = [...document.querySelectorAll('.step')];
  const parts = [];  // first step of each part
  steps.forEach((step, i) => {
    if (i === 0 || step.dataset.part !== steps[i - 1].dataset.part) parts.push(i);
  });
  const select = at('parts');
  parts.forEach(i => select.append(new Option(steps[i].dataset.part, String(i))));
  let now = 0;
  const remember = () => {
    try {
      history.replaceState(null, '', '#' + steps[now].id);
    } catch {  // a page inside another one may have no address of its own
    }
  };
  const partOf = i => parts.filter(first => first <= i).length - 1;
  const go = (to, keep) => {
    now = Math.max(0, Math.min(steps.length - 1, to));
    steps.forEach((step, i) => step.classList.toggle('now', i === now));
    at('where').textContent = now + ' / ' + (steps.length - 1);
    at('before').disabled = now === 0;
    at('after').disabled = now === steps.length - 1;
    at('done').firstElementChild.style.width = 100 * now / Math.max(1, steps.length - 1) + '%';
    select.value = String(parts[partOf(now)]);
    if (!keep) remember();
    window.scrollTo(0, 0);
  };
  const part = by => {
    const present = partOf(now);
    if (by < 0 && now > parts[present]) return go(parts[present]);
    go(parts[Math.max(0, Math.min(parts.length - 1, present + by))]);
  };
  const fromAddress = () => {
    const found = steps.findIndex(step => '#' + step.id === location.hash);
    go(found < 0 ? 0 : found, true);
  };
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target === select) return;
    const tall = document.documentElement.scrollHeight > window.innerHeight + 4;
    if (event.key === ' ' && event.target.tagName === 'BUTTON') return;
    switch (event.key) {
      case 'ArrowRight': case 'PageDown': go(now + 1); break;
      case ' ': go(now + (event.shiftKey ? -1 : 1)); break;
      case 'ArrowLeft': case 'PageUp': go(now - 1); break;
      case 'ArrowDown': if (tall && !event.shiftKey) return; part(1); break;
      case 'ArrowUp': if (tall && !event.shiftKey) return; part(-1); break;
      case 'Home': go(0); break;
      case 'End': go(steps.length - 1); break;
      default: return;
    }
    event.preventDefault();
  });
  at('before').addEventListener('click', () => go(now - 1));
  at('after').addEventListener('click', () => go(now + 1));
  select.addEventListener('change', () => { go(Number(select.value)); select.blur(); });
  let start = null;
  document.addEventListener('touchstart', event => {
    start = event.touches.length === 1 && !event.target.closest('.numbers, #bar') ? event.touches[0] : null;
  }, {passive: true});
  document.addEventListener('touchend', event => {
    if (!start) return;
    const dx = event.changedTouches[0].clientX - start.clientX, dy = event.changedTouches[0].clientY - start.clientY;
    if (Math.abs(dx) > 60 && Math.abs(dx) > 2 * Math.abs(dy)) go(now + (dx < 0 ? 1 : -1));
  }, {passive: true});
  window.addEventListener('hashchange', fromAddress);
  document.documentElement.classList.add('stepping');
  at('bar').hidden = false;
  fromAddress();
  document.body.dataset.drawn = 'yes';
})();
