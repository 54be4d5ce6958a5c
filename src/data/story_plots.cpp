#include "data/story_grammar.hpp"

// The plots. A line at the margin names a rule; each indented line below it is one way to write it.
//   <rule>            written anew at every mention; a choice returns in a story only when all others are used up
//   {name}            chosen once per story, the same at every mention: people, things, animals, places
//   {hero.he}         a form of the hero's that agrees in gender and number; {a thing} has its article or count
//   [one|two]         either
//   //                a new paragraph
// A capital at the start of a mention makes a capital in the text.

namespace minnow {

const std::string_view kStoryPlots = R"(
story
  <lost>
  <found>
  <hungry>
  <bridge>
  <cake>
  <quarrel>
  <noise>
  <race>
  <parcel>
  <garden>
  <clock>
  <lesson>

lost
  <opening> {Hero.he} owned {a thing}, a present from {elder}, and took {thing.him} everywhere. // <lost_out> <lost_gone> <lost_look> // <lost_ask> <lost_thief> <lost_swap> // <lost_back> <lost_end>
  <opening> In {hero.his} basket {hero.he} always carried {a thing}. // <lost_out> <lost_gone> <lost_ask> // <lost_look> <lost_thief> <lost_swap> // <lost_back> <moral>
lost_out
  {Time} {hero} went to {place} to <errand>.
  {Time} {elder} sent {hero} to {place} to <errand>.
  {Time} there was no school, so {hero} walked to {place} to <errand>.
lost_gone
  On the way home {hero.he} looked into the basket and stopped. The {thing} {thing.was} gone!
  But when {hero.he} sat down to rest, the basket was empty. Where {thing.was} the {thing}?
  Halfway back {hero.he} noticed a hole in the basket, and the {thing} {thing.was} no longer there.
lost_look
  {Hero.he} looked <spot>, <spot> and <spot>, but found only <junk>.
  {Hero.he} searched <spot>. Nothing. {Hero.he} searched <spot>. Only <junk>.
  <Spot> lay <junk>, and <spot> lay <junk>, but there was no trace of the {thing}.
lost_ask
  "Have you seen {hero.my} {thing}?" {hero.first} asked {friend}. "No," said {friend}, "but <comfort>."
  {Friend} came by with <burden>. "Why so sad?" {friend.he} asked. "{Hero.my} {thing} {thing.is} lost," said {hero.first}. "Then <comfort>," said {friend}.
lost_thief
  Then they heard a rustle <spot>. There sat {a beast}, and the {thing} lay in the straw between {beast.his} paws.
  At last {friend} pointed at {place}. {A beast} ran past with the {thing}!
  "Hush," whispered {friend}. <Spot> {beast.was} {a beast}, and {beast.he} had the {thing}.
lost_swap
  {Hero.first} held out {food}. The {beast} sniffed, ate every crumb and let the {thing} go.
  "Are you hungry?" asked {hero.first} and put down {food}. The {beast} forgot the {thing} at once.
  "Nobody needs to shout," said {friend} and offered the {beast} {food}. It was a fair trade.
lost_back
  {Friend} picked the {thing} up, wiped {thing.him} clean and gave {thing.him} back. "Thank you!" said {hero.first}.
  {Friend} blew the dust away and put the {thing} into {hero.first}'s hands. "{Thing.he} {thing.is} yours again," {friend.he} said.
lost_end
  From that day on {hero} kept the {thing} on a string, and a few crumbs in the basket for the {beast}.
  {Hero} mended the basket that very evening, and {friend} held the thread.
  Since then {hero} never went to {place} without {friend}, or without {food} for the {beast}.

found
  <opening> // {Time} {hero.he} walked past {place} and saw something glitter. <found_thing> <found_elder> // <found_owner> <found_return> // <found_end>
  <opening> {Time} <weather>, and {hero.he} hurried home past {place}. <found_thing> // <found_elder> <found_owner> // <found_return> <moral>
found_thing
  In the grass lay {a thing}, wet with dew and very fine.
  Between two stones lay {a thing}. Who could have lost {thing.him}?
  {A thing}! {Hero.he} picked {thing.him} up and looked around, but nobody was there.
found_elder
  "May {hero.I} keep {thing.him}?" {hero.first} asked {elder}. "Finding is not owning," said {elder}. "Somebody misses {thing.him}."
  {Elder} shook {elder.his} head. "{Thing.he} {thing.is} not mine," {elder.he} said. "Ask at every door."
  "What would you wish," asked {elder}, "if the {thing} {thing.was} yours?" {Hero.first} thought about that and blushed.
found_owner
  So {hero} asked the baker, the miller and the smith, and all said no. Behind <shed> sat {friend}, crying because {friend.he} had lost {a thing}.
  {Hero} knocked at nine doors. At the tenth stood {friend} with red eyes. "My {thing} {thing.is} gone," {friend.he} said.
  At {place} {hero.he} met {friend}, who was looking <spot> and <spot>. "What have you lost?" asked {hero.first}. "{A thing}," said {friend} sadly.
found_return
  {Hero} opened {hero.his} hands, and there {thing.was} the {thing}. {Friend} laughed and cried at once.
  "Close your eyes," said {hero.first} and gave the {thing} back. {Friend} did not know what to say, so {friend.he} danced.
  When {hero} gave {thing.him} back, {friend} hugged {hero.him} so hard that a button flew off.
found_end
  They shared {food} on the steps, and the {thing} lay between them in the sun.
  "Half of {hero.my} supper is yours," said {hero.first}. "And the {thing} {thing.is} yours on Sundays," said {friend}. <Moral>
  That night {hero} slept better than any [king|queen|owner of gold].

hungry
  <opening> // {Time} <weather>. Near {place} {hero.he} heard a small cry. <hungry_beast> <hungry_give> // <hungry_later> <hungry_help> // <hungry_end>
hungry_beast
  There {beast.was} {a beast}, thin and shivering, because the snow had covered all the food.
  {A beast} sat <spot>. {Beast.he} looked tired, and {beast.his} eyes were dull with hunger.
  <Spot> lay {a beast}. {Beast.he} had not eaten for three days.
hungry_give
  {Hero} had only {food}, and {hero.he} {hero.was} hungry too. Still {hero.he} broke it in two and gave the {beast} the bigger half.
  "Take this," said {hero.first} and laid down {food}. The {beast} ate slowly and looked at {hero.him} for a long time.
  {Hero} ran home, fetched {food} and an old blanket, and stayed until the {beast} slept.
hungry_later
  Weeks later {hero} lost the way in the woods. It grew dark, and every tree looked the same.
  That winter a thick mist came down, and {hero} could not find the path. "{Hero.I} {hero.am} lost," whispered {hero.first}.
  Many days went by. Then, on the way to {place}, a storm hid the road from {hero}.
hungry_help
  Something soft touched {hero.first}'s hand. It was the {beast}! {Beast.he} went ahead, waited, and went ahead again.
  Then {hero.he} heard a call {hero.he} knew. The {beast} had come back, and {beast.he} led {hero} home, step by step.
  Out of the dark came the {beast}. "You remember {hero.me}!" cried {hero.first}, and followed {beast.him} all the way to the gate.
hungry_end
  "So you gave bread and got a guide," said {elder}. {Hero} put {food} on the step every evening after that.
  The {beast} stayed one night by the stove, and {elder} pretended not to see {beast.him}. <Moral>
  {Elder} opened the door. "Who brought you home?" {elder.he} asked. "{A beast}," said {hero.first}, "and they say animals forget."

bridge
  <opening> // {Time} <weather>. <bridge_break> <bridge_need> // <bridge_plan> <bridge_work> // <bridge_end>
bridge_break
  The river rose, and because the old bridge was rotten, it broke in the middle.
  A great branch fell on the bridge by {place} and split it like a biscuit.
  In the morning the bridge was gone. Only <junk> floated where it had been.
bridge_need
  {Elder} stood on the other side. "I cannot get home," {elder.he} called, "and my soup is on the stove!"
  Across the water waited {elder} with {a beast}. "Help us!" {elder.he} cried. "{Beast.he} cannot swim, and neither can I!"
  Now no bread could come from the mill, so nobody in {town} had breakfast.
bridge_plan
  "We need a rope," said {hero.first}. "And planks," said {friend}. "And {food}," said {hero.first}, "because work makes hungry."
  {Friend} wanted to wait for help. "If everybody waits, nobody comes," said {hero.first}. So they fetched <tool> and <tool>.
  {Hero} looked at the water, then at <shed>. "The old door!" {hero.he} cried. {Friend} understood at once and ran for <tool>.
bridge_work
  They pulled and tied and hammered until their hands were sore. First one plank held, then two, then ten.
  {Friend} held the rope while {hero} crawled across. It shook, but it did not fall.
  All day they worked, and when one grew tired, the other sang. By sunset there was a new bridge, a little crooked, but strong.
bridge_end
  {Elder} crossed first and gave them {a thing}. "Keep {thing.him}," {elder.he} said. "You have earned {thing.him}." <Moral>
  It stands there still, and people call it the bridge of {hero}.
  "It is crooked," said {elder}, "but it goes exactly where a bridge should go." And everybody laughed.

cake
  <opening> // {Time} {hero} remembered that {elder} had a birthday. <cake_plan> <cake_trade> // <cake_bake> <cake_trouble> // <cake_end>
cake_plan
  "{Hero.I} will bake a cake," said {hero.first}, but there was no flour in the house, no honey and not one egg.
  A cake needs flour, eggs and honey, and {hero} had only a spoon.
cake_trade
  The miller gave flour because {hero} swept the mill. {Friend} gave honey because {hero.he} carried <burden>. And the hen gave eggs for nothing.
  {Hero} fed the hens and got three eggs, watered the beans and got flour, and sang for {friend} and got a jar of honey.
  "I have honey," said {friend}, "but no one to play with." So they played until noon, and then there was honey, flour and a friend to stir.
cake_bake
  They stirred until the bowl hummed. The cake rose, turned gold and smelled of summer.
  {Hero} stirred, {friend} tasted, and {friend} tasted again, to be sure.
  The oven glowed. {Friend} counted to a thousand, because cakes cannot read clocks.
cake_trouble
  Then {a beast} came through the window and ate a piece as big as a shoe!
  But {friend} stumbled over {a beast}, and the cake flew through the air and landed upside down.
  When they turned around, {beast.was} there not {a beast} on the table? And {beast.was} there not honey on {beast.his} nose?
cake_end
  "{Hero.I} {hero.am} sorry," said {hero.first}. "It was round this morning." {Elder} took a bite. "It tastes round," {elder.he} said.
  {Elder} laughed until {elder.he} had to sit down. They gave the last piece to the {beast}, since {beast.he} had asked so nicely.
  They filled the hole with <fruit>, and {elder} said it was the best birthday since {elder.he} was six. <Moral>

quarrel
  <opening> {Hero.his} best friend was {friend}. // {Time} they found {a thing} near {place}. <quarrel_fight> <quarrel_break> // <quarrel_alone> <quarrel_sorry> // <quarrel_end>
quarrel_fight
  "Mine!" cried {friend}. "{Hero.I} saw {thing.him} first!" cried {hero.first}. They pulled from both sides.
  {Friend} wanted to keep {thing.him}. {Hero} wanted to keep {thing.him} too. Soon they shouted so loudly that {a beast} ran away.
quarrel_break
  There was a crack. The {thing} fell on the stones, and nobody was glad any more.
  Then the {thing} slipped, rolled down the bank and fell into the water. "That is your fault!" both said at once.
quarrel_alone
  {Hero} went home by the long road and {friend} by the short one. The {supper} tasted of nothing that evening.
  For two days they did not speak. {Hero} counted the [stars|clouds|tiles] alone, and it was no fun.
  {Elder} saw the long faces. "A friend is harder to find than {a thing}," {elder.he} said.
quarrel_sorry
  On the third day {hero} knocked at {friend}'s door. "{Hero.I} {hero.am} sorry," said {hero.first}. "So am I," said {friend}, "and I was coming to you."
  They met at {place}, for both had come to look for the {thing}. "You first," said {hero.first}. "No, you," said {friend}, and then they laughed.
quarrel_end
  With <tool> and a little glue they mended the {thing}. {Hero} had {thing.him} on odd days and {friend} on even days.
  They gave the {thing} to {elder}, who had never owned such a fine present. <Moral>
  They dried the {thing} in the sun and shared {food}. "Ours," said {friend}. "Ours," said {hero.first}.

noise
  <opening> // {Time}, long after {supper}, there was a noise [in the attic|in the cellar|behind the stove|on the roof]: {sound}! <noise_fear> <noise_go> // <noise_find> <noise_talk> // <noise_end>
noise_fear
  {Hero} pulled the blanket up. "It is only the wind," {hero.he} thought. But the wind does not sneeze.
  "It is {ghost}," whispered {friend}, who was staying the night. "{Ghost} does not bump into chairs," said {hero.first}, but {hero.his} knees shook.
  {Hero.his} heart beat like a drum. {Elder} was asleep and heard nothing at all.
noise_go
  {Hero.he} took a candle and went, one step, two steps, three steps. The floor creaked.
  "Being brave means going slowly," {elder} had once said. So {hero} went very slowly, with <tool> in {hero.his} hand.
noise_find
  Under an old coat sat {a beast}, more frightened than {hero}, and beside {beast.him} lay <junk>.
  Two round eyes shone in the dark. It was no ghost. It was {a beast} that had come in from the rain.
  Something moved in the corner. Then {a beast} came out and blinked at the light.
noise_talk
  "Did you make all that noise?" asked {hero.first}. The {beast} looked as if {beast.he} {beast.was} sorry.
  "Do not be afraid," said {hero.first}, and saying it, {hero.he} {hero.was} not afraid any more.
  {Hero} sat down on the floor and broke {food} into small pieces. Slowly the {beast} came closer.
noise_end
  In the morning {elder} found them all asleep in one heap. "Well," {elder.he} said, "now I know who ate the {supper}."
  {Hero} made a bed of straw for the {beast}, and there was no more {sound} at night, only snoring.
  Since that night {hero} {hero.was} not afraid of noises. {Hero.he} only asked: "Who is hungry?"

race
  <opening> // "I am the fastest in {town}," said {friend}. "You are not," said {hero.first}. So they agreed to race to {place}, and {elder} promised {a thing} to the winner. // <race_run> <race_stop> <race_help> // <race_end>
race_run
  {Time} they stood at the gate. "Ready, steady, go!" called {elder}. {Hero} flew over the field like <bird>.
  {Elder} dropped a handkerchief, and off they ran, past the mill, past <shed>, past the last house.
race_stop
  {Hero} {hero.was} ahead when {hero.he} saw {a beast} stuck in the mud. {Beast.he} cried so sadly that {hero.he} stopped.
  Halfway there lay {a beast} with thorns in {beast.his} coat. {Hero.first} looked at the road and looked at the {beast}.
race_help
  "A race can wait," {hero.first} said, and pulled and pulled until the {beast} {beast.was} free. Meanwhile {friend} ran by.
  {Friend} rushed past without turning {friend.his} head. {Hero} stayed, took out <tool> and set the {beast} free.
race_end
  {Friend} won, but when {friend.he} heard why, {friend.he} gave the {thing} to {hero}. "You ran the better race," {friend.he} said.
  {Elder} had seen it all from the hill. {Elder.he} gave {friend} the {thing} and gave {hero} {elder.his} hand. <Moral>
  "Second!" called {elder}. "First," said {friend} quietly and pointed at the {beast} that walked behind {hero} like a shadow.

parcel
  <opening> // {Time} {elder} gave {hero} a parcel. "Bring this to {friend} at {place}," {elder.he} said, "and do not open it." // <parcel_way> <parcel_tempt> <parcel_danger> // <parcel_end>
parcel_way
  It was a long way, and <weather>.
  The road went up, and it went down, and then it went up again.
parcel_tempt
  The parcel rattled. "Is it {a thing}?" thought {hero.first}. {Hero.his} fingers touched the knot, but {hero.he} left it closed.
  Something inside went {sound}. {Hero} {hero.was} so curious that {hero.his} ears grew warm. Still {hero.he} did not look.
parcel_danger
  Then {a beast} snatched the string! {Hero} ran after {beast.him} through <fruit> and nettles until {beast.he} let go.
  Then it began to rain, so {hero.he} put the parcel under a cloth and got wet {hero.self}.
  At the stream the stones were slippery. {Hero} fell in up to the knees, but held the parcel high.
parcel_end
  {Friend} cut the string, and inside {thing.was} {a thing} and a note. "For the one who carried this and did not look," {friend} read. So {friend.he} gave {thing.him} to {hero}.
  "You did not open it," said {friend}. "How do you know?" asked {hero.first}. "Because if you had, {thing.he} would have rolled out." And there, in the paper, {thing.was} {a thing} for each of them.
  {Friend} opened it, found {food} and cut it into equal parts. "{Elder} knows that nobody likes to eat alone," {friend.he} said.

garden
  <opening> // {Time} {hero} planted [a seed|a plum stone|a bean|an acorn] <spot>. <garden_laugh> <garden_wait> // <garden_trouble> <garden_grow> // <garden_end>
garden_laugh
  "Nothing grows there," said {friend}. "Not yet," said {hero.first}.
  {Friend} laughed. "You are watering stones!" {friend.he} called.
garden_wait
  Every morning before school {hero.he} watered it, and every evening {hero.he} told it what had happened in {town}.
  A week went by, and nothing came. A second week went by, and nothing came. {Hero} watered it all the same.
garden_trouble
  One day a green tip showed, and {a beast} wanted to eat it. {Hero} gave the {beast} {food} instead.
  Then no rain fell for a month. {Friend} stopped laughing and helped to carry water from {place}.
  In the night <storm> bent it to the ground, but {hero} tied it to <tool> and it stood up again.
garden_grow
  It grew as high as the fence, then as high as the roof, and in summer it was full of <fruit>.
  By autumn it gave shade to two people, if they sat close together.
garden_end
  {Hero} gave {friend} the first [apple|plum|handful]. "Nothing grows there," said {friend} with a full mouth, and both laughed.
  The whole of {town} came to taste. "What is your secret?" asked {elder}. "{Hero.I} did not stop," said {hero.first}.
  {Friend} brought {a thing} and hung {thing.him} in the branches, so that everybody could see whose tree it was.

clock
  <opening> // {Time} the clock of {town} stopped. <clock_mess> <clock_climb> // <clock_find> <clock_wise> // <clock_end>
clock_mess
  The baker slept too long, so there was no bread. The teacher came too early, so there were no children.
  Because nobody knew the time, {elder} had dinner twice and breakfast not at all.
  School did not begin, soup burned, and {friend} waited at {place} for somebody who never came.
clock_climb
  "Somebody must look," said {elder}, "but my legs are old." So {hero} climbed the tower with <tool>.
  {Friend} went up the tower with {hero}. There were two hundred steps, and {friend} counted each of them aloud.
clock_find
  Between the wheels {beast.was} {a beast} in a nest of hay and <junk>, and {beast.his} little ones slept on the biggest wheel.
  A string had caught in the wheels, and at its end hung {a thing}. Beside {thing.him} sat {a beast}, looking guilty.
clock_wise
  "If {hero.I} turn the wheel, the {beast} will fall," thought {hero.first}. So first {hero.he} carried {beast.him} to the hay, and then {hero.he} turned the wheel.
  {Friend} wanted to chase the {beast} away. "No," said {hero.first}. "We need the clock, but {beast.he} need{beast.s} a home." So they built a box of planks beside the bell.
clock_end
  {Sound}! went the clock, and all of {town} ran home for {supper}.
  The clock went again, two minutes late, and so it has stayed, in honour of the {beast}. <Moral>
  {Elder} gave {hero} the key of the tower. Every Sunday {hero.he} brought {food} up, and not for the clock.

lesson
  <opening> // {Friend} could not <skill>, and the others laughed at {friend.him}. {Time} {friend.he} sat near {place} and threw stones into the grass. // <lesson_offer> <lesson_try> <lesson_slow> // <lesson_need> <lesson_end>
lesson_offer
  "{Hero.I} could not do it either," said {hero.first}. "Shall {hero.I} show you?"
  {Hero} sat down beside {friend.him}. "{Elder} taught {hero.me}," said {hero.first}, "and now it is your turn."
lesson_try
  The first time it went wrong. The second time it went very wrong. {A beast} watched and seemed to smile.
  They tried it before {supper} and after {supper}. {Friend} fell into <fruit> and wanted to give up.
lesson_slow
  "Slowly," said {hero.first}. "The moon is slow too, and look how far it gets."
  "Once more," said {hero.first} every time, and {hero.he} never laughed, not even at the funny parts.
  "Again?" asked {friend}. "Again," said {hero.first}, and shared {food} with {friend.him}.
lesson_need
  A week later {friend} could <skill> better than anybody. And that was lucky, because {a beast} had taken {elder}'s {thing} and only {friend} knew what to do.
  Soon {friend} could do it with closed eyes. When {hero} forgot how to go on, it was {friend} who said: "Slowly."
lesson_end
  "Who taught you that?" asked {elder}. {Friend} pointed at {hero}, and {hero} pointed at {friend}.
  {Friend} gave {hero} {a thing}. "For the teacher," {friend.he} said, and {hero} {hero.was} prouder than ever before.
  Now there were two who could, and nobody in {town} laughed any more, except for joy. <Moral>
)";

}  // namespace minnow
