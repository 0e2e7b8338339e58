package dev.rlm.sinks.redaction;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** All that looks for secrets at a time: the rules and the values that are known then. Safe for use by several threads. */
final class Finders {
    private static final int MAX_CLEAN = 1 << 10;
    private static final int MAX_UNESCAPED = 2; // times: what is escaped may be escaped itself
    private static final int MAX_NAME = 1 << 8;

    private final Keywords keywords;
    private final PersonalNumbers numbers;
    private final Set<String> clean = ConcurrentHashMap.newKeySet();

    Finders(List<Rule> rules, Set<PersonalData> personal, List<KnownValue> values, Predicate<String> isKind) {
        Keywords.Builder builder = new Keywords.Builder();
        builder.add(Mark.BEGIN, new Mark(isKind));
        Unescaped.addTo(builder);
        Rule.addTo(builder, rules);
        Base64Lead.addTo(builder, rules);
        values.forEach(value -> value.addTo(builder));
        keywords = builder.build();
        numbers = new PersonalNumbers(personal);
    }

    /** The rules that there are. */
    static List<Rule> rules(Set<PersonalData> personal) {
        return Stream.concat(
                        Form.all().stream().map(Form::rule),
                        personal.contains(PersonalData.EMAIL) ? Stream.of(PersonalData.email()) : Stream.empty())
                .toList();
    }

    void find(Search search) {
        keywords.scan(search);
        numbers.find(search);
        findUnescaped(search, MAX_UNESCAPED);
    }

    /** Looks again where escapes stand that may be within a secret, or before it. */
    private void findUnescaped(Search search, int times) {
        Unescaped unescaped = times > 0 ? Unescaped.of(search) : null;
        if (unescaped != null) {
            Search again = new Search(unescaped.text(), search.deadline());
            unescaped.occurrences(search, keywords).forEach(each -> again.follow(each.lead(), each.from(), each.to()));
            findUnescaped(again, times - 1);
            again.findings().forEach(finding -> search.found(unescaped.place(finding)));
        }
    }

    /** Returns whether it is a name that was found to hold no secret. */
    boolean isClean(String name) {
        return clean.contains(name);
    }

    void clean(String name) {
        if (name.length() <= MAX_NAME) {
            if (clean.size() >= MAX_CLEAN) {
                clean.clear();
            }
            clean.add(name);
        }
    }
}
