package dev.rlm.sinks.redaction;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** Meaning of the name of an entry, such as a parameter, a tag or an attribute, for the texts in it. */
enum EntryName {
    /** Nothing. */
    PLAIN,
    /** They may be secret: those are that have a digit, or are long, and are one word. */
    DOUBTFUL,
    /** They are secret, also those in what lies in the entry under other names. */
    SECRET;

    private static final Pattern BREAK = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|[^\\p{L}\\p{N}]+");
    private static final Pattern SECRET_WORD = Pattern.compile(
            "(^|_)(passwords?|passwd|passphrases?|passcode|pwd|psk|secrets?|credentials?|authorization|cookies?)(_|$)"
                    + "|(^|_)(api|access|private|secret|signing|encryption|master|account|shared|auth|ssh|subscription"
                    + "|client|service|license)_?keys?$");
    private static final Pattern DOUBTFUL_WORD = Pattern.compile("(^|_)(auth|bearer|jwt|pat|salt|tokens?|keys?)$");

    /** Names of what is about a secret; of tokens of a language model or of a page; of keys by which things are found. */
    private static final Pattern OTHER_WORD = Pattern.compile(
            "_(policy|length|strength|count|rules?|fields?|names?|env|files?|paths?|urls?|types?|hints?|version|provider|store)$"
                    + "|(^|_)(eos|bos|pad|unk|sep|cls|mask|fim|eot|eom|stop|start|end|begin|special|added|think|thinking|image"
                    + "|audio|video|text|prompt|completion|input|output|next|prev|previous|page|cursor|continuation|first|last"
                    + "|public)_tokens?$"
                    + "|(^|_)(cache|sort|partition|primary|foreign|group|sample|row|object|storage|routing|idempotency|public"
                    + "|index|lookup|shard|answer)_keys?$|^keys?$");

    private static final Pattern LOOKS_SECRET =
            Pattern.compile("(?i)((bearer|basic|token|digest)\\s+)?(?=.*\\d|.{20})\\S{6,}");
    private static final int KNOWN = 4_096;
    private static final Map<String, EntryName> NAMES = new ConcurrentHashMap<>();

    /** Returns what a name says, however its words are joined. */
    static EntryName of(String name) {
        EntryName known = NAMES.get(name);
        if (known != null) {
            return known;
        }
        EntryName found = find(BREAK.matcher(name).replaceAll("_").toLowerCase(Locale.ROOT));
        if (NAMES.size() < KNOWN) {
            NAMES.put(name, found);
        }
        return found;
    }

    private static EntryName find(String words) {
        if (OTHER_WORD.matcher(words).find()) {
            return PLAIN;
        } else if (SECRET_WORD.matcher(words).find()) {
            return SECRET;
        }
        return DOUBTFUL_WORD.matcher(words).find() ? DOUBTFUL : PLAIN;
    }

    /** Returns whether the text of an entry of that name is secret. */
    boolean hides(String text) {
        return switch (this) {
            case PLAIN -> false;
            case DOUBTFUL ->
                Secrecy.isDistinct(text) && LOOKS_SECRET.matcher(text.strip()).matches();
            case SECRET -> !text.isBlank();
        };
    }
}
