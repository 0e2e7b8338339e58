package dev.rlm.sinks.redaction;

import dev.rlm.sinks.RedactionCounts;
import dev.rlm.sinks.Redactor;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.JsonValues;
import dev.rlm.sinks.redaction.regex.OverdueException;
import dev.rlm.sinks.redaction.regex.SearchDeadline;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Takes secrets out of text: the values of variables and entries whose names say secret, values registered, what has the form of a
 * secret, and what {@link Redactor}s find. In a secret's place stands {@code [REDACTED:kind:hash]}; the hash has a key
 * of its own in each process, so that equal secrets can be told to be equal there and nowhere else. What stands there
 * already is left as it is.
 *
 * <p>Safe for use by several threads, which get equal text for equal text. Nothing here throws: a text whose redaction
 * fails or takes too long becomes {@link Content#FAILED}, which is counted and logged.
 */
public final class Redaction {
    public static final String REGISTERED = "registered";

    private static final String ENVIRONMENT = "env";
    private static final String NAMED = "named";
    private static final String OTHER = "other";
    private static final Pattern KIND = Pattern.compile("[a-z0-9-]{1," + Redactor.MAX_KIND + "}");
    private static final int MAX_KINDS = 256;
    private static final int HASH_BYTES = 4;

    private final RedactionOptions options;
    private final List<CustomRedactor> ofTexts;
    private final List<CustomRedactor> ofNames;
    private final Mac mac = newMac();
    private final RedactionLog log = new RedactionLog();
    private final Map<String, LongAdder> secrets = new ConcurrentHashMap<>();
    private final LongAdder failed = new LongAdder();
    private final LongAdder overdue = new LongAdder();

    private final Set<String> values = new HashSet<>();
    private final List<KnownValue> known = new ArrayList<>();
    private final List<Rule> rules;
    private volatile @Nullable Finders finders; // none after a change, until the next text

    /** One that knows of no values yet. */
    public Redaction(RedactionOptions options) {
        this.options = options;
        ofTexts = options.redactors().stream()
                .map(redactor -> new CustomRedactor(redactor, options.textTimeout()))
                .toList();
        ofNames = options.redactors().stream()
                .map(redactor -> new CustomRedactor(redactor, options.nameTimeout()))
                .toList();
        rules = options.enabled() ? Finders.rules(options.personal()) : List.of();
        rules.forEach(rule -> secrets.put(rule.kind(), new LongAdder()));
        options.personal().forEach(data -> secrets.put(data.kind(), new LongAdder()));
        secrets.put(ENVIRONMENT, new LongAdder());
        secrets.put(NAMED, new LongAdder());
        secrets.put(REGISTERED, new LongAdder());
    }

    /** Returns whether anything is redacted. */
    public boolean isEnabled() {
        return options.enabled();
    }

    /** Notes what is secret in this process's own environment, as the system tells it. */
    public void registerEnvironment() {
        ProcessEnvironment.forEach(this::registerVariable);
    }

    /** Notes what is secret in the value of a variable, going by the variable's name. */
    public void registerVariable(String name, String value) {
        Secrecy.secrets(name, value).forEach(secret -> register(ENVIRONMENT, secret));
    }

    /** A value that is a secret from now on. Values too short to be told from ordinary text are passed over. */
    public synchronized void register(String kind, String value) {
        String secret = value.strip();
        if (!options.enabled() || !Secrecy.isDistinct(secret) || !values.add(secret)) {
            return;
        }
        adder(kind);
        known.addAll(KnownValue.forms(secret, kind, secret));
        Secrecy.pieces(secret).forEach(piece -> known.addAll(KnownValue.forms(piece, kind, secret)));
        finders = null;
    }

    /** Makes what the first text would have to wait for. */
    public void prepare() {
        if (options.enabled()) {
            finders();
        }
    }

    private Finders finders() {
        Finders current = finders;
        return current == null ? newFinders() : current;
    }

    private synchronized Finders newFinders() {
        Finders current = finders;
        if (current == null) {
            current = new Finders(rules, options.personal(), known, secrets::containsKey);
            finders = current;
        }
        return current;
    }

    /** The text without secrets, {@linkplain Content#wellFormed well-formed} where it was. For a sink's thread. */
    public String text(String text) {
        return guarded(text, whole -> redacted(whole, ofTexts), unused -> Content.FAILED);
    }

    /**
     * A name, a tag or the like without secrets, {@linkplain Content#limited limited}. For the runner's thread: further
     * redactors have 100 ms, and names that were found clean are known again. Where it fails, the mark that is left has a
     * hash: names that differ, such as run ids, must not become one.
     */
    public String name(String text) {
        return isKnownClean(text) ? text : guarded(text, this::limited, failed -> Mark.of(Mark.FAILED, hash(failed)));
    }

    private boolean isKnownClean(String name) {
        Finders current = options.enabled() ? finders : null;
        return current != null && current.isClean(name);
    }

    private String limited(String text) {
        Finders current = options.enabled() ? finders() : null;
        if (current != null && current.isClean(text)) {
            return text;
        }
        String name = Content.limited(text, part -> redacted(part, ofNames));
        if (current != null && name.equals(text)) {
            current.clean(text);
        }
        return name;
    }

    private String redacted(String text, List<CustomRedactor> custom) {
        return options.enabled() ? withoutSecrets(text, custom) : text;
    }

    private String withoutSecrets(String text, List<CustomRedactor> custom) {
        Search search = new Search(text, SearchDeadline.in(options.textTimeout()));
        finders().find(search);
        custom.forEach(each -> each.find(text).forEach(search::found));
        return new Masked(search.findings(), search.replaced()).of(text, this::mark);
    }

    private String mark(FoundSecret finding) {
        return mark(finding.kind(), finding.secret());
    }

    private String mark(String kind, String secret) {
        adder(kind).increment();
        return Mark.of(kind, hash(secret));
    }

    private LongAdder adder(String kind) {
        String counted = secrets.containsKey(kind) || secrets.size() < MAX_KINDS ? kind : OTHER;
        return secrets.computeIfAbsent(counted, unused -> new LongAdder());
    }

    @SuppressWarnings("CatchThrowable") // fail closed, whatever the cause
    private String guarded(String text, UnaryOperator<String> redaction, UnaryOperator<String> instead) {
        try {
            return redaction.apply(text);
        } catch (OverdueException e) {
            overdue.increment();
            warn("it took too long");
        } catch (RedactorException e) {
            failed.increment();
            warn(String.valueOf(e.getMessage()));
        } catch (Throwable e) {
            failed.increment();
            warn(e.getClass().getName());
        }
        return instead.apply(text);
    }

    @SuppressWarnings("CatchThrowable") // there may be no memory for it
    private void warn(String cause) {
        try {
            log.warn(cause);
        } catch (Throwable e) {
            // it is counted
        }
    }

    /** A {@linkplain JsonValues plain} copy without secrets. */
    public Map<String, Object> values(Map<String, ?> map) {
        return JsonValues.copy(map, this::name, this::entry);
    }

    /** Returns the value of an entry of that name, which is without other secrets already: texts become marks where the name says so. */
    public @Nullable Object entry(String name, @Nullable Object value) {
        EntryName kind = options.enabled() ? EntryName.of(name) : EntryName.PLAIN;
        return kind == EntryName.PLAIN ? value : hidden(kind, value);
    }

    /** Returns the text of an entry of that name, as {@link #text} and {@link #entry} do. For a sink's thread. */
    public String text(String name, String text) {
        return String.valueOf(entry(name, text(text)));
    }

    private @Nullable Object hidden(EntryName kind, @Nullable Object value) {
        if (value instanceof String text) {
            return kind.hides(text) && !text.startsWith(Mark.BEGIN) ? mark(NAMED, text) : text;
        } else if (value instanceof List<?> list) {
            List<@Nullable Object> hidden = new ArrayList<>();
            list.forEach(each -> hidden.add(hidden(kind, each)));
            return Collections.unmodifiableList(hidden);
        } else if (value instanceof Map<?, ?> map && kind == EntryName.SECRET) {
            Map<@Nullable Object, @Nullable Object> hidden = new LinkedHashMap<>();
            map.forEach((name, each) -> hidden.put(name, hidden(kind, each)));
            return Collections.unmodifiableMap(hidden);
        }
        return value;
    }

    /** A copy without secrets of what a sink says of itself, in strings and numbers. */
    public Map<String, Object> facts(Map<String, Object> facts) {
        Map<String, Object> copy = new LinkedHashMap<>();
        facts.forEach(
                (name, value) -> copy.put(name(name), value instanceof Number ? value : name(String.valueOf(value))));
        return copy;
    }

    /** A {@linkplain JsonValues plain} copy without secrets of what an entry of that name has. */
    public @Nullable Object value(String name, @Nullable Object value) {
        return entry(name, JsonValues.value(value, this::name, this::entry));
    }

    /** Returns what was done so far. */
    public RedactionCounts counts() {
        Map<String, Long> found = new HashMap<>();
        secrets.forEach((kind, count) -> {
            if (count.sum() > 0) {
                found.put(kind, count.sum());
            }
        });
        return new RedactionCounts(found, failed.sum(), overdue.sum());
    }

    static boolean isKind(String kind) {
        return KIND.matcher(kind).matches();
    }

    private String hash(String secret) {
        byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
        synchronized (mac) {
            return HexFormat.of().formatHex(mac.doFinal(bytes), 0, HASH_BYTES);
        }
    }

    private static Mac newMac() {
        try {
            byte[] key = new byte[32];
            new SecureRandom().nextBytes(key);
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HmacSHA256", e);
        }
    }
}
