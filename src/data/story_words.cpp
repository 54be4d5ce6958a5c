#include "data/story_grammar.hpp"

// The vocabulary and the phrases that all plots share; the notation is that of story_plots.cpp.
// Short choices stand on one line with ` / ` between them. `object` and `animal` list singular|plural.

namespace minnow {

const std::string_view kStoryWords = R"(
opening
  In {town} there lived {hero.kind} called {hero}, <lodging>. {Hero.he} liked <liking>.
  Once upon a time {hero.kind} called {hero} lived <lodging>. {Hero.he} {hero.was} afraid of <fear>, but of nothing else.
  {Hero} lived <lodging>, in {town}, where <custom>.
  This is the story of {hero}, who lived in {town} and liked <liking>.
  Long ago, when <long_ago>, {hero.kind} called {hero} lived <lodging>.
  Nobody in {town} knew more about <liking> than {hero}.
  Do you know {town}? That is where {hero} lived, <lodging>.
  There {hero.was} once {hero.kind} who liked <liking> more than cake. {Hero.his} [house|home] stood in {town}, and everybody there knew {hero}.
lodging
  beside the baker's shop
  at the end of Lantern Lane
  above the clock shop
  in a crooked house with a blue door
  in the last cottage before the woods
  on a boat that never sailed
  behind the school
  at the top of a hundred steps
  next to the windmill
  in a house as narrow as a book
  with {elder} and eleven hens
  with {elder}, who snored
liking
  the smell of rain
  counting stars
  soup with too much pepper
  songs with silly words
  old maps
  walking backwards
  stories without dragons
  the sound of bells
  drawing ships
  warm bread
  asking questions
  climbing trees
  the first frost
  secret doors
fear
  geese
  the dark
  thunder
  deep water
  the big dog at the smithy
  stairs that creak
  spiders
  cold soup
custom
  every house had a cat and every cat had a name
  the bells rang a little too late
  people said good morning even at night
  the wind smelled of apples
  the streets were so steep that the milk ran downhill
  the hens walked in the middle of the road
  nobody locked a door
  it rained on Tuesdays
long_ago
  the hills were young
  bread cost a button
  the moon was still yellow
  the mill had only one wing
  wishes were sold by weight
  winters were longer than summers
time
  one windy morning
  one foggy evening
  one day in May
  on the first day of spring
  on the last day of summer
  one cold afternoon
  the next Sunday
  one morning in October
  early one Monday
  on a warm night in June
  one rainy afternoon
  shortly before winter
  on market day
weather
  the rain drummed on every roof
  snow fell in flakes as big as leaves
  the wind howled around the chimneys
  a thick fog lay on the fields
  the frost painted flowers on the windows
  thunder rolled over the hills
  it rained for three days and three nights
  the storm shook the trees
storm
  a storm / a gust of wind / the hail / a heavy shower
errand
  fetch water / gather wood / pick mint / catch butterflies / sell eggs / look for mushrooms / feed the ducks
  fly paper birds / collect shells
burden
  a bundle of sticks / a bucket of milk / a sack of turnips / a basket of onions / a pile of books / two jugs of water
  a wheel of cheese / a ladder
comfort
  four eyes see more than two
  what is lost can be found
  we will look together
  I know where to begin
  {thing.he} cannot have gone far
  we will ask the hens
spot
  under the bench
  behind the well
  between the roots of the oak
  in the tall grass
  under the hedge
  beside the haystack
  behind the barrels
  by the garden wall
  under the willow
  near the beehives
  in the shade of the tower
  among the pumpkins
  beneath the old cart
  at the edge of the woods
shed
  the old stable / the wood shed / the boat house / the cow barn / the empty kennel / the smithy
junk
  a rusty nail / an old shoe / dry leaves / a broken jug / half a comb / a snail shell / cobwebs / a ball of wool
  last year's nuts / a cracked plate / a bent fork / scraps of paper
tool
  a hammer / a rope / a long pole / a ladder / a bucket / a strong stick / a pair of tongs / a lantern / a spade
food
  a slice of bread / a piece of cheese / a honey cake / an apple / a plum tart / a boiled egg / a bowl of porridge
  a ginger biscuit / a warm bun / a pancake / a handful of nuts / a carrot / a baked potato / a jam sandwich
supper
  supper / pea soup / stew / porridge / noodle soup
fruit
  cherries / blackberries / red apples / plums / pears / strawberries / gooseberries / white roses / sunflowers
sound
  knock, knock / rumble, bump / scratch, scratch / tick, clack / ding, dong / rattle, clink / squeak, thump
  tap, tap, tap
ghost
  a ghost / a giant / a burglar / a dragon / the north wind
bird
  a swallow / an arrow / a leaf in the wind / a hare
skill
  swim / whistle / read / tie a knot / skate / climb a rope / tell the time / row a boat / juggle / dance / bake bread
  count to a hundred
moral
  <Saying>.
  And if you ever come to {town}, ask for {hero}: everybody there can tell you the rest.
  And so they lived, not always quietly, but always together.
  "<Saying>," said {elder}, and {elder.he} was right.
  "What did you learn?" asked {elder}. "<Saying>," said {hero.first}.
  The moon looked through the window and was content.
  Then it was time for {supper}.
  And that is the end, though {hero.first} would say it was only the beginning.
saying
  a kind deed finds its way home
  half a cake with a friend is more than a whole one alone
  small hands can hold big things
  who gives does not grow poorer
  a promise is a bridge
  sorry is a short word and opens long doors
  who waits for the sun should bring a lantern
  even the longest road begins at the door
  nobody is too little to help
  trust grows slowly and gives good fruit
town
  Thistledown / Mossgate / Pebble Cove / Little Wick / Harrowmead / Puddleford / Gull Harbour / Nettlebridge
  Quillham / Upper Bramble / Windle / Candlemere / Oatley / Fernhollow
place
  the mill pond / the old well / the apple orchard / the stone circle / the market square / the lighthouse / the ferry
  the broken wall / the hollow tree / the chapel / the watermill / the quarry / the sheep meadow / the crossroads
  the heron lake / the bell tower
girl
  Nell / Ada / Mina / Tilda / Rosie / Wren / Greta / Ivy / Lotte / Hanna / Pia / Clara / Edda / Juno / Marta / Suri
boy
  Tom / Oskar / Finn / Jory / Emil / Hugo / Bram / Kit / Anton / Pepe / Rufus / Leo / Milo / Ned / Samir / Theo
elder_she
  Granny Plum / Aunt Agnes / Mrs Pepper / the widow Wool / Old Berta / Aunt Olive / Miss Finch
elder_he
  Grandpa Barley / Uncle Moss / Mr Button / Captain Crumb / Old Jakob / the ferryman / Mr Thimble
quality
  red / blue / green / golden / silver / wooden / painted / tiny / shiny / old / striped / round / strange / beautiful
  copper / spotted
object
  whistle|whistles
  lantern|lanterns
  button|buttons
  key|keys
  marble|marbles
  ribbon|ribbons
  compass|compasses
  spoon|spoons
  bell|bells
  shell|shells
  kite|kites
  spinning top|spinning tops
  feather|feathers
  coin|coins
  flute|flutes
  brush|brushes
  mitten|mittens
  puppet|puppets
  mirror|mirrors
  toy boat|toy boats
  cup|cups
  drum|drums
  bead|beads
  box|boxes
count
  two / three / four / five / seven
animal
  fox|foxes / hen|hens / goat|goats / duck|ducks / goose|geese / hedgehog|hedgehogs / squirrel|squirrels / cat|cats
  dog|dogs / pony|ponies / mouse|mice / rabbit|rabbits / otter|otters / badger|badgers / lamb|lambs / donkey|donkeys
  hare|hares / weasel|weasels / piglet|piglets / calf|calves
look
  small / thin / brown / grey / white / black / young / fat / shy / ragged / lame / clever
)";

}  // namespace minnow
