"""Topics of coding help: questions about programming at large, never about one team's own set-up.

The notation is that of the world's topics. Products of the kinds a project chooses among (frameworks, databases,
pipelines) are not named, so that nothing here can pass for one of them.
"""

SHARED_NAMES = {
    "fn": "collect merge_rows scan_items trim_cells fold_pairs walk_tree pick_best shift_left pack_bits".split(),
    "var": "items rows cells totals pairs nodes scores chunks lines marks values points".split(),
    "tbl": "orders visits readings parcels tickets lessons shipments bookings samples invoices".split(),
    "col": "amount weight price score length quantity distance duration volume rating".split(),
    "grp": "region category author colour shelf season customer_type floor line_no vehicle_class".split(),
    "file": "notes.txt access.txt report.csv words.txt stock.csv data.tsv inventory.csv measures.txt".split(),
    "cls": "Basket Ledger Route Frame Sensor Recipe Ticket Parcel Lesson Meter".split(),
}
"""Names for code that every family may use."""

CODE = """
= algorithms
: algo idea cost bad good
- merge sort | split in halves, sort each and merge | n log n in every case | it needs extra space | it is stable
- quicksort | partition around a pivot and recurse | n log n on average, n squared at worst | a poor pivot ruins it
  | it works in place
- heap sort | build a heap and take the largest off again and again | n log n in every case | it jumps around in the
  cache | it needs no extra space
- insertion sort | take each element back to where it belongs | n squared, but linear on nearly sorted input | it is
  slow on long inputs | it is tiny and stable
- binary search | halve the range that can still hold the key | log n | the input has to be sorted | it is very fast
  on large arrays
- radix sort | distribute by digit, from the last to the first | linear for keys of fixed width | it only suits
  certain keys | it never compares two elements
- topological sort | repeatedly take a node without open predecessors | linear in nodes and edges | a cycle makes it
  impossible | it finds a valid order of steps
- breadth-first search | visit neighbours level by level with a queue | linear in nodes and edges | the queue can
  become wide | it finds shortest paths without weights
- Dijkstra's algorithm | always settle the nearest open node | edges times log of nodes with a heap | negative
  weights break it | it gives exact distances
? Can you explain $algo and its running time?
? How does $algo work, and what does it cost?
* The idea: $idea.
* The cost: $cost.
* Its weak side: $bad.
* Its strong side: $good.
* Draw it once with [[6..9]] elements; the invariant becomes obvious after the second step.
* The recurrence follows directly from the shape of the recursion or loop.
? Could you sketch $algo in Python?
? What would a readable implementation of $algo look like?
| def $fn($var):
|     result = []
|     pending = list($var)
|     while pending:
|         current = pending.pop()
|         if is_simple(current):
|             result.append(current)
|         else:
|             pending.extend(divide(current))
|     return combine(result)
* This is the skeleton only; `divide` and `combine` hold what is specific to $algo.
* Name the invariant in a comment above the loop, for instance what `result` holds at that point.
* Keep the comparison in a single function, so that a different order needs one change.
* Empty input and a single element deserve their own lines in a test.
* Avoid slicing inside the loop, as each slice copies.
* Type hints document what the elements must support.
? Which edge cases matter for $algo?
? How would one test $algo properly?
* Empty input, one element, two elements in both orders.
* All elements equal, already ordered, and ordered backwards.
* Random inputs of up to [[50..400]] elements compared with the built-in result.
* Very large inputs, to see whether the recursion is too deep.
* Properties beat examples: the output is a permutation of the input and is ordered or consistent.
? When is $algo the wrong choice?
? What would you use instead of $algo, and when?
* When its weak side hits: $bad.
* For fewer than about [[16..64]] elements the simplest loop usually wins.
* When the data doesn't fit into memory, think in passes over a file.
* The standard library's version has been tuned for years; write one only to learn.
* Measure with realistic data, since constants decide at small sizes.
? How is $algo best explained on a whiteboard in an interview?
? Could you list talking points about $algo for an interview?
* Say the idea in a single sentence: $idea.
* Trace it on a tiny example before writing anything.
* State the cost and where it comes from: $cost.
* Mention one real situation where it shines: $good.
* Ask about the size and shape of the input; interviewers like that.

= structures
: ds store fast slow uses
- hash map | entries in buckets chosen by a hash of the key | lookup by key | ordered traversal | counting and joining
- linked list | nodes that point to the next one | insertion at a known place | access by position | queues and undo
  lists
- binary heap | an array in which each parent is no larger than its children | taking the smallest | searching for
  an arbitrary element | schedulers
- trie | one node per letter along each word | finding by prefix | memory use for sparse data | completion of words
- deque | blocks that grow at both ends | adding and removing at both ends | inserting in the middle | sliding windows
- bloom filter | bits set by several hashes | saying surely not | listing what it holds | skipping needless look-ups
- ring buffer | a fixed array with two moving indexes | writing without allocation | growing | audio and telemetry
- disjoint set | trees that point to a representative | merging groups | splitting them again | connectivity
- balanced tree | nodes kept at similar depth by rotations | ordered search | simple implementation | range queries
? What is a $ds and what is it good for?
? Could you explain the idea of a $ds?
* It stores $store.
* It is fast at $fast.
* It is slow at $slow.
* Typical uses are $uses.
* The cost per operation is what matters, and the layout in memory comes right after it.
* A drawing with [[5..8]] entries explains more than the definition.
? How would you implement a $ds in a few lines?
? Could you show a minimal $ds?
| class $cls:
|     def __init__(self, size):
|         self.size = size
|         self.$var = [None] * size
|         self.count = 0
|
|     def put(self, key, value):
|         slot = self.find(key)
|         self.count += self.$var[slot] is None
|         self.$var[slot] = (key, value)
|
|     def get(self, key):
|         entry = self.$var[self.find(key)]
|         return entry and entry[1]
* `find` is where a $ds differs from its relatives, so begin there.
* Keep the invariant checkable by a method that is only called in tests.
* Decide early what happens at capacity: grow, refuse or overwrite.
* Return values rather than printing, which keeps it testable.
* Growing by a factor of [[2|1.5]] makes the average cost per insertion constant.
? What are the pitfalls of a $ds?
? Which mistakes are typical with a $ds?
* Using it where the slow operation dominates, which is $slow.
* Mutable keys that change after insertion.
* Forgetting what happens with duplicates.
* Measuring with tiny inputs of [[10..50]] entries, where everything looks equally fast.
* Holding references that keep large objects alive.
? How does a $ds compare with a plain array?
? When is a sorted array better than a $ds?
* A plain array wins on locality; the processor likes neighbours.
* It loses as soon as $fast is needed often.
* For read-mostly data, sort once and search by halves.
* Conversion between the two costs one pass, so mixing is fine.
* Prototype with the array, and change when a profile says so.
? Can you give a small exercise that needs a $ds?
? What would be a good kata for a $ds?
* Read a text and report the [[5..20]] most frequent words.
* Simulate a queue in front of [[2..5]] counters and report the longest wait.
* Keep the last [[30..100]] readings and answer queries for the largest.
* Merge groups of friends from a list of pairs.
* Write the test first, including an empty input.
* Explain afterwards why it suits the task: it is fast at $fast.

= patterns
: what regex yes no note
- ISO dates | \\d{4}-\\d{2}-\\d{2} | 2031-07-09 | 31.7.2009 | it also accepts month 19, so parse afterwards
- hex colours | #(?:[0-9a-f]{3}){1,2} | #c0ffee | c0ffee | add the flag for ignoring case
- quoted CSV fields | "(?:[^"]+|"")*" | "a ""b"" c" | "a | doubled quotes stand for one
- IPv4 addresses | (?:\\d{1,3}\\.){3}\\d{1,3} | 10.0.3.7 | 10.0.3 | numbers above 255 need a check in code
- version numbers | \\d+\\.\\d+\\.\\d+ | 4.12.0 | 4.12 | anchors keep it from matching inside longer numbers
- repeated words | (\\w+)\\s+\\1 | the the | the then | word boundaries on both sides are needed
- trailing blanks | [ \\t]+$ | a line that ends in blanks | a clean line | use the multi-line flag
- snake_case names | [a-z]+(?:_[a-z0-9]+)* | row_count | rowCount | leading underscores need their own rule
- clock times | (?:[01]\\d|2[0-3]):[0-5]\\d | 23:59 | 24:10 | seconds can be an optional group
? Which regular expression matches $what?
? How do I match $what with a regular expression?
| pattern = re.compile(r'$regex')
| for line in $var:
|     for found in pattern.finditer(line):
|         print(found.start(), found.group())
* The expression: `$regex`.
* It accepts `$yes` and rejects `$no`.
* Note that $note.
* Compile it once outside the loop.
* Use a raw string, so that backslashes stay what they are.
* Named groups make the code around it readable.
? How should one test an expression for $what?
? What test cases would you use for $what?
* At least one clear hit, such as `$yes`.
* At least one near miss, such as `$no`.
* An empty string and a string of [[2000..20000]] blanks.
* A hit at the very start and one at the very end.
* Letters with accents, since character classes differ in how they treat them.
* A list of real lines, checked by eye once and kept as a fixture.
? Is a regular expression the right tool for $what?
? When should $what rather be parsed by code?
* An expression finds candidates well and validates badly.
* As soon as nesting appears, use a parser.
* Two simple expressions in sequence are easier to read than one clever one.
* If it is longer than [[50..80]] characters, split it with the verbose flag.
* Error messages are the weak point: an expression only says no.
? How can such an expression become slow?
? What is catastrophic backtracking, taking $what as an example?
* Nested quantifiers give the engine many ways to fail.
* Time can double with each extra character, so [[25..40]] characters may take minutes.
* Atomic groups or possessive quantifiers prevent it where they exist.
* Anchors let the engine give up early.
* Untrusted input deserves a limit on its length.
? Could you explain the parts of that expression for $what one by one?
? What does each piece of `$regex` do?
* Read it from left to right and say aloud what each token consumes.
* Escapes such as `\\d` and `\\w` stand for classes of characters.
* Braces give counts; a question mark after a group makes it optional.
* `(?:` groups without capturing, which keeps the numbering short.
* Finally, remember: $note.

= layout
: ui css trap check
- a sticky header | position: sticky; top: 0 | an ancestor with hidden overflow | scroll inside a nested container
- a card grid | display: grid; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)) | fixed heights that cut
  text | use one very long title
- a centred dialog | display: grid; place-items: center | focus that escapes to the page behind | use the tab key only
- a table on small screens | overflow-x: auto | headers that lose their columns | turn the device
- a dark colour scheme | color-scheme: light dark | pure black next to pure white | look at disabled buttons
- a skip link | position: absolute; left: -999rem | a link that never becomes visible | press tab once
- form labels | display: block; margin-block: 0.25rem | placeholders used as labels | zoom to 200 per cent
- responsive images | max-width: 100%; height: auto | missing width and height attributes | throttle the connection
- a two-column article | columns: 2; column-gap: 2rem | headings torn from their text | print it
? How do I build $ui with plain CSS?
? What is a robust way to style $ui?
| .$var {
|   $css;
|   padding: [[4..24]]px;
|   gap: [[8..32]]px;
| }
* The essential declaration: `$css`.
* The trap to know: $trap.
* Begin with the markup; a good order of elements needs little styling.
* Use relative units, so that larger text does not break it.
* Keep the selector flat, one class deep.
* Add the narrow view first and widen from there.
? How can one check that $ui works for everyone?
? What belongs on an accessibility checklist for $ui?
* A quick check: $check.
* Contrast of at least 4.5 to 1 for normal text.
* Visible focus on everything that can be reached.
* Sensible order when styles are switched off.
* Names for controls that make sense out of context.
* Motion that stops when the reader asks for less of it.
? Why does $ui break in some browsers?
? What are common bugs with $ui?
* Most often the cause is $trap.
* Default styles differ by [[1..8]] pixels and by line height.
* A missing box-sizing rule adds padding to the width.
* Specificity wars: a later, weaker rule loses silently.
* The inspector's computed tab shows which declaration won.
* Reduce it to [[10..25]] lines in an empty page; half of the bugs vanish on the way.
? How should the CSS for $ui be organised?
? How would you name the classes for $ui?
* One block per component, named after what it is and not how it looks.
* Custom properties for colours and gaps at the top.
* No more than [[2..3]] breakpoints, chosen where the content needs them.
* Comments that say why an odd number is there.
* Delete rules as eagerly as they are added.
? Can $ui be done without any script?
? How much JavaScript does $ui really need?
* Usually none: `$css` carries most of it.
* State such as open or closed can live in native elements.
* Script is for remembering choices and for announcing changes.
* Test with scripts off; the content should still be there.
* Each listener that isn't needed saves battery.

= queries
: task clause hint check
- running totals | sum($col) over (order by day) | a frame clause decides about ties | the last total equals the
  plain sum
- the top three per group | row_number() over (partition by $grp order by $col desc) | ties need rank instead | no
  group has more than three rows
- gaps in a series of dates | day - lag(day) over (order by day) | the first row has no predecessor | the gaps add
  up to the span
- pivoting rows into columns | sum(case when month = 1 then $col end) | missing months give null | the grand total
  stays the same
- duplicate rows | group by $grp having count(*) > 1 | decide which copy to keep first | a second run finds none
- moving averages | avg($col) over (order by day rows 6 preceding) | the first rows have fewer values | a constant
  series stays constant
- a hierarchy | with recursive path as (select 1) | guard against cycles | each node appears once
- medians | percentile_cont(0.5) within group (order by $col) | even counts average two values | half of the rows
  lie below
- rows without a partner | left join and where right side is null | not in behaves oddly with nulls | counts of both
  parts add up
? How do I write a SQL query for $task?
? What is the idiomatic SQL for $task?
| select $grp,
|        $clause as result
| from $tbl
| where $col > [[1..90]]
| order by $grp;
* The key expression: `$clause`.
* A hint: $hint.
* Write it as a common table expression first, then inline it if that reads better.
* Select only the columns that are needed.
* Name the result after its meaning and not after its formula.
* Dialects differ in details, so keep to the standard where it is no burden.
? How can I verify the result of a query for $task?
? What is a quick sanity check for $task?
* A simple check: $check.
* Try it on a table of [[5..12]] hand-made rows.
* Compare the row count before and after each join.
* Look at nulls on purpose; they are where surprises live.
* Run it twice, as an unstable order shows up as differences.
? Why could a query for $task be slow?
? How is a query for $task made faster?
* Read the plan from the inside out and look for full scans.
* An index on `$grp` and `$col` in that order often helps.
* Filter early, so that the window or group sees fewer rows.
* Functions around a column hide it from an index.
* Statistics go stale after large loads of more than [[10..40]] per cent.
* Materialise an expensive step if several reports need it.
? How do nulls and ties affect $task?
? Which corner cases matter for $task?
* Nulls are neither equal nor different, so joins drop them.
* Aggregates skip nulls, while count(*) does not.
* Ties need an explicit second key.
* Empty groups vanish unless a calendar table brings them back.
* Remember: $hint.
? Could you explain that query for $task line by line?
? How would one read that statement aloud?
* Begin with the source: rows of `$tbl`.
* Then the filter, which removes most rows.
* Then the grouping or window, which says what belongs together.
* Then the expression: `$clause`.
* The order comes last and belongs to the presentation.

= python
: thing gives when caution
- generators | values one at a time instead of a whole list | data is large or endless | they can be consumed only
  once
- context managers | set-up and clean-up around a block | a resource has to be released | exceptions pass through
  unless they are swallowed on purpose
- dataclasses | constructors, equality and a readable form for free | a record travels between functions | mutable
  defaults need a factory
- decorators | behaviour wrapped around a function | the same concern recurs in many places | the wrapped name gets
  lost without functools.wraps
- comprehensions | a new collection in one expression | the rule fits on a line | nested ones soon become unreadable
- closures | functions that remember their surroundings | a small configuration should travel along | loop variables
  are bound late
- enums | a closed set of named choices | strings would be compared by hand | members are not equal to their raw
  values
- iterators | a uniform way to walk through things | a class should work in a for loop | an exhausted one stays
  exhausted
- type hints | checks before the program runs | others read or call the code | they are not enforced at run time
? What are $thing in Python good for?
? Could you explain Python's $thing with an example?
| def $fn($var):
|     for item in $var:
|         if item.size > [[2..99]]:
|             yield item.name, item.size
|
| print(dict($fn(load('$file'))))
* The main benefit: $gives.
* Use them when $when.
* Be careful: $caution.
* The standard library uses them all over, so reading its source is a good lesson.
* Start with the plain version and introduce them when the pattern repeats.
* A short docstring should say what comes out.
? Which mistakes do people make with $thing?
? What are pitfalls of $thing in Python?
* The first: $caution.
* The second is cleverness; a loop that everyone reads is worth more.
* Side effects hidden inside make tests fragile.
* Profiling [[3..5]] runs shows that speed is rarely the reason to choose them.
* Names matter more here than elsewhere, because the mechanics are invisible.
? How does one test code that relies on $thing?
? What should tests for $thing cover?
* The usual path with [[2..4]] typical inputs.
* The empty case, which tells whether the shape is right.
* An exception half-way, and what is left behind by it.
* Repeated use of the same object.
* Behaviour rather than mechanism, so that a rewrite keeps the tests.
? How do $thing compare with what other languages offer?
? Is there an equivalent of $thing in other languages?
* Most languages have the idea under another name.
* The benefit is the same: $gives.
* Static languages check more of it early and need more ceremony.
* In older code the same thing is spelled out as a small class.
* Porting is easiest through tests written first.
? When should $thing be avoided?
? Are there cases where $thing make code worse?
* When a reader has to jump between [[3..6]] places to follow one call.
* When the condition is not met, that is, unless $when.
* When debugging matters more than brevity.
* When a plain function with a good name says the same.
* When the surrounding code has settled on another style.

= shell
: tool job option trap
- find | walk a tree and pick files | -newer to compare with another file | unquoted patterns that the shell expands
  first
- grep | print lines that match | -o to show only the match | patterns that begin with a dash
- sed | edit a stream line by line | -n with p to print selectively | in-place editing without a copy
- awk | treat lines as records with fields | -F to set the separator | fields that contain the separator in quotes
- xargs | turn lines into arguments | -0 for names with blanks | running once with no input
- sort | order lines | -k to choose a field | a locale that changes the order
- uniq | collapse neighbours that are equal | -c to count | input that was not sorted
- cut | take columns | -f for fields | several blanks in a row count as several separators
- tar | bundle files | -t to list before unpacking | absolute paths inside
- tee | write to a file and pass on | -a to append | buffering that delays output
? How is the shell tool $tool used?
? What does $tool do, and which options matter?
| $tool --help | head -n [[5..30]]
| head -n [[10..80]] $file | sort | uniq -c
* Its job is to $job.
* The option to remember: $option.
* The trap to avoid: $trap.
* Try it on `head` of the data before letting it loose.
* Combine small steps with pipes and look at each intermediate result.
* The manual's examples section is usually at the end.
? Could you show a pipeline with $tool that summarises a text file?
? How would one use $tool to get statistics from `$file`?
| sort $file | uniq -c | sort -rn | head -n [[3..25]]
* Read it from left to right: order, collapse, order again, cut.
* Replace the first stage by $tool where its job fits: to $job.
* A count per key answers most first questions.
* Fix the locale to get the same order on each machine.
* For more than [[2..9]] stages, write a small script instead.
? What can go wrong with $tool on odd file names?
? How do I use $tool safely?
* Quote every variable.
* Use separators that can't occur in names, such as the null byte.
* Know the trap: $trap.
* Do a dry run that only prints.
* Keep a copy before anything is changed in place.
? How portable is $tool between systems?
? Do options of $tool differ between platforms?
* The standard set is small; everything else is an extension.
* Long options are the first to differ.
* Check the exit status rather than the text of messages.
* Test in a minimal image before relying on it.
* Between two versions [[5..15]] years apart, defaults may have changed.
? When is a script better than $tool?
? Should that job with $tool rather be done in a programming language?
* As soon as state has to be kept across files.
* When quoting takes more thought than the task.
* When somebody else must maintain it in [[1..3]] years.
* When errors need messages that people understand.
* For a one-off look at data, though, nothing beats a pipe.

= concurrency
: term sense symptom cure
- race conditions | two parties touch the same thing and the order decides | results that differ from run to run |
  make the step atomic or remove the sharing
- deadlocks | each waits for what the other holds | everything stands still without load | always take locks in the
  same order
- thread pools | a fixed set of workers takes tasks from a queue | queues that grow without end | bound the queue
  and push back
- event loops | one thread switches between tasks that wait | one slow handler delays all | move heavy work elsewhere
- semaphores | a counter limits how many may enter | leaks when a permit is not given back | release in a finally
  block
- producers and consumers | a buffer sits between two speeds | memory that rises slowly | a bounded buffer with
  blocking
- atomic counters | one instruction reads and writes | contention on many cores | count locally and add up later
- starvation | somebody is always served later | a long tail in waiting times | fair queues
- futures | a value that will exist later | errors nobody ever looks at | await each of them
? Could you explain $term to somebody new to concurrent code?
? What is meant by $term?
* In short: $sense.
* The typical symptom: $symptom.
* The usual cure: $cure.
* A kitchen with [[2..4]] cooks and one oven is a fair analogy.
* The difficulty is that tests pass nearly always.
* Think in terms of who owns the data at each moment.
? Could you show $term in a few lines of code?
? What does a minimal example of $term look like?
| counter = 0
| lock = Lock()
|
| def $fn(n=[[1000..9000]]):
|     global counter
|     for _ in range(n):
|         with lock:
|             counter += 1
* Remove the lock and run it [[5..20]] times to see what happens.
* Adding a short pause between read and write makes the effect visible.
* Print from one place only, otherwise output mixes.
* Join all workers before looking at the result.
* The example is small on purpose; real cases hide behind three layers of calls.
? How does one find $term in an existing program?
? Which tools or tricks reveal $term?
* Look for the symptom first: $symptom.
* Dump all stacks while it hangs or lags.
* Run with many more workers than cores to provoke unlucky orders.
* Sanitizers and checkers find what eyes can't.
* Reduce to [[20..60]] lines and share that.
? How can $term be handled or prevented by design?
? What design makes $term a non-issue?
* The direct cure: $cure.
* Share nothing; send messages.
* Prefer immutable values wherever data crosses a border.
* Put limits everywhere: on queues, on time, on retries.
* Document which thread may call what.
* A review with a single question helps: what if this line runs twice at once?
? What would be interview questions about $term?
? Could you quiz me on $term with a few questions?
* Give a definition in a single sentence. Expected: $sense.
* Which symptom would appear under load of [[100..900]] requests? Expected: $symptom.
* Name one cure and what it costs. Expected: $cure.
* Why do unit tests rarely catch it?
* How would the answer change on a single core?

= web
: idea does header slip
- caching | lets a client reuse an earlier response | Cache-Control: max-age=600 | caching something personal in a
  shared place
- pagination | hands out long lists in pieces | Link: rel="next" | offsets that skip rows when data changes
- content negotiation | lets a client ask for a format | Accept: application/json | forgetting to vary the cache by it
- compression | trades processor time for bytes | Content-Encoding: gzip | compressing images again
- conditional requests | avoid sending what has not changed | If-None-Match: "a1b2" | tags that differ per machine
- redirects | tell that a thing lives elsewhere | Location: /new-path | chains of five hops
- rate limits | protect a service from too many calls | Retry-After: 30 | counting by address only
- idempotent requests | may be repeated without harm | Idempotency-Key: 7f3e | storing the key after the work
  instead of before
- cross-origin rules | decide which pages may read a response | Access-Control-Allow-Origin: https://example.org |
  echoing any origin together with credentials
? What is the point of $idea on the web?
? What is the mechanism behind $idea in HTTP?
* In a nutshell, $idea $does.
* A typical header: `$header`.
* A typical slip: $slip.
* Everything is visible in the network panel, which is the best teacher.
* Proxies in between may add or drop headers.
* The specification is more readable than its reputation.
? Could you show a request and response for $idea?
? How would $idea show up on the wire?
| GET /$tbl/[[10..999]] HTTP/1.1
| Host: example.org
|
| HTTP/1.1 200 OK
| $header
| Content-Length: [[120..9000]]
* The interesting line is the one with `$header`.
* Names of headers ignore case, values often don't.
* A blank line separates head and body.
* Repeat the call with a changed header and compare.
* Status codes carry half of the meaning, so check them first.
? Which mistakes are common with $idea?
? What should a reviewer look for regarding $idea?
* First of all: $slip.
* Defaults that differ between local runs and the real thing.
* Missing tests for the second call, as the first one always works.
* Time-outs longer than [[30..90]] seconds that hide a problem.
* Messages that tell a stranger too much.
? How can $idea be tested automatically?
? What tests would you write for $idea?
* A first call, the same call again, and one after a change.
* Headers compared as data and not as text.
* A slow and a broken counterpart.
* At least [[3..6]] odd inputs, such as empty and very long ones.
* A check that nothing personal is shared.
? How would you explain $idea to a designer without technical background?
? Can you describe $idea with an everyday comparison?
* Picture a library desk with a very polite clerk.
* The clerk follows written rules, and the header is the note one hands over.
* The slip to avoid would be like this: $slip.
* Most of the benefit is that nobody has to walk twice.
* Leave out the details of bytes; they add nothing here.

= refactoring
: move does smell risk
- extracting a function | gives a name to a few lines | a comment that explains a block | too many parameters
- guard clauses | handle odd cases first and leave | deep nesting | several exits in a long body
- a parameter object | bundles values that travel together | the same four arguments everywhere | a bag without
  meaning
- splitting a class | separates two reasons to change | groups of fields that are used apart | chatty halves
- inlining a variable | removes a name that says nothing | a chain of temporary names | a long expression
- replacing flags by functions | makes two intents visible | calls with true and false | duplicated beginnings
- renaming | makes the code say what it means | names that need explaining | changes in many places
- removing duplication | keeps a rule in one place | fixes that have to be made twice | joining things that are
  alike by chance
- replacing loops by pipelines | shows the steps in order | three jobs in one loop | unreadable one-liners
? What is meant by $move as a refactoring, and when is it useful?
? When do you recommend $move?
* In a nutshell, $move $does.
* The smell that calls for it: $smell.
* The risk: $risk.
* Take steps so small that each of them is boring.
* Run the tests after every step, even the silly ones.
* Behaviour stays the same; anything else is another change.
? Could you show $move on a small piece of code?
? What would $move look like before and after?
| def $fn($var):
|     total = 0
|     for entry in $var:
|         if entry is not None and entry.$col > [[0..50]]:
|             total += entry.$col * [[2..9]]
|     return total
* Before: the condition, the formula and the sum are tangled.
* After: each of the three has a name, and the body reads like a sentence.
* Begin with the part that has the clearest name.
* Let the editor do the mechanical part.
* Compare the two versions aloud; the better one needs fewer words.
* Leave numbers such as these only where their meaning is named.
? How risky would $move be without tests?
? What if there are no tests around the code for $move?
* Pin the present behaviour with [[4..10]] recorded inputs and outputs.
* Stay with moves that the compiler or a checker can confirm.
* Watch for the typical risk: $risk.
* Keep each change small enough to be read in two minutes.
* Ask somebody who knows the history why it looks like that.
? How can $move be justified to people who want features?
? Would $move be worth the time it takes?
* Estimate how often that code was touched in [[3..12]] months.
* Do it on the way to a change that is needed anyway.
* Show the before and after of one real case.
* The smell has a price: $smell.
* Stop when the next feature becomes easy, not when it is perfect.
? Which related refactorings go with $move?
? What usually comes after $move?
* Often a better name becomes obvious, so rename next.
* Sometimes the opposite move turns out to be right.
* Dead code shows up and can go.
* Tests get simpler, as there is less to set up.
* After [[2..4]] rounds a new shape appears that nobody planned.

= numbers-and-text
: issue why show remedy
- floating-point rounding | binary fractions can't hold most decimal ones | 0.1 + 0.2 differs from 0.3 | compare
  with a tolerance or count in cents
- text encodings | bytes have no meaning without a table | an e with accent turns into two odd signs | decode at the
  border and keep text inside
- time zones | local clocks are political | an hour exists twice in autumn | store moments in UTC with the zone
  beside them
- rounding rules | halves can go up, down or to even | 2.5 becomes 2 in one place and 3 in another | say which rule
  applies
- date arithmetic | months differ in length | the 31st plus one month is not a date | add days or define the end of
  the month
- integer overflow | fixed width wraps round | a counter turns negative | check before adding
- byte order | machines disagree which byte comes first | 1 is read as 16777216 | fix the order in the format
- hash functions | a long input maps to a short value | one changed letter changes everything | choose by purpose:
  speed or security
- natural sorting | text order is not number order | file10 comes before file2 | split into text and numbers
? Why do programs have so much trouble with $issue?
? Could you explain the problem of $issue?
* The reason: $why.
* A famous example: $show.
* The remedy: $remedy.
* Nearly every language has it; only the messages differ.
* It hides until data from [[another|a far]] place arrives.
* Write down the assumption next to the line that makes it.
? Could you demonstrate $issue in a few lines?
? What is a minimal example of $issue?
| $var = [[[1..9]], [[11..99]], [[101..999]]]
| for value in $var:
|     print(repr(value), value / [[3..7]], value % [[2..9]])
* Run it and look at the exact output rather than the rounded one.
* Compare with the expectation: $show.
* Change one value at a time until the effect appears.
* Print types as well as values.
* Keep the snippet; it makes a good test.
? What is the proper way to deal with $issue in a larger program?
? What is good practice around $issue?
* The short answer: $remedy.
* Convert once where data comes in and once where it goes out.
* Use one small module for it and forbid it elsewhere.
* Put units and kinds into names or types.
* Test with [[3..8]] nasty values that are kept in one list.
* Never fix it in the display only.
? Which libraries or built-ins help with $issue?
? Does the standard library offer anything for $issue?
* Most standard libraries have a decimal, a date and a text module that cover it.
* Read the section on limits before the one on features.
* Avoid writing a replacement; the odd cases number in the [[dozens|hundreds]].
* Check how updates of tables and rules arrive.
* A thin wrapper keeps the rest independent of the choice.
? How would one spot $issue in a code review?
? What are warning signs of $issue?
* Equality tests on computed values.
* Conversions in the middle of a calculation.
* Defaults that depend on the machine.
* Tests that pass only in the morning.
* Magic constants such as [[60..86]]400 or [[250..260]] without a name.

= version-control
: act cmd undo caution
- undoing the last commit | git reset --soft HEAD~1 | commit again | never on history that others have fetched
- finding the commit that broke something | git bisect start | git bisect reset | each step must build
- setting work aside | git stash push | git stash pop | untracked files need an extra option
- taking over a single commit | git cherry-pick | git cherry-pick --abort | the same change then exists twice
- tidying commits before sharing | git rebase -i | git reflog shows the old tip | rewriting changes every hash
- seeing who changed a line | git blame -L | nothing to undo | moves hide the true origin
- marking a version | git tag -a | git tag -d | shared tags should never move
- resolving conflicts | git status, then edit and git add | git merge --abort | both sides may be right
- recovering a lost commit | git reflog | nothing to undo | entries expire after some weeks
? How does $act work in git?
? What is the git command for $act?
| $cmd
| git status --short
| git log --oneline -n [[3..15]]
* The command: `$cmd`.
* If it was a mistake: $undo.
* A word of caution: $caution.
* Look at the state before and after, using status and log.
* Nothing is lost for a while once it was committed.
* Work on a copy of the folder while learning it.
? What exactly happens inside git during $act?
? Could you explain $act in terms of git's model?
* Commits are snapshots with parents, and names are labels that point to them.
* Most commands only move a label or write a new snapshot.
* The index is a third place between the folder and the history.
* Drawing [[4..7]] circles with arrows explains nearly everything.
* Therefore the caution: $caution.
? What could go wrong with $act?
? Which mistakes happen with $act, and how does one recover?
* The typical one relates to this: $caution.
* The way back: $undo.
* Read the hints that git prints; they name the next command.
* Don't delete the folder in panic.
* Make a plain copy first if [[hours|days]] of work are at stake.
? How could one practise $act safely?
? Could you design a ten-minute exercise for $act?
* Create an empty folder, and commit three small text files.
* Make [[2..5]] changes in different places.
* Run `$cmd` and describe what changed.
* Then go back: $undo.
* Repeat with a deliberate mistake in the middle.
* Write down the commands in one's own words.
? Is there a graphical way to do $act?
? Do editors support $act as well?
* Most editors offer it behind a menu with a slightly different name.
* The command line shows more of what is going on.
* Mixing both is fine as long as one looks at the state in between.
* Learn the words first: they are the same everywhere.
* For rare actions the manual page with [[1..3]] examples is quicker.
"""
