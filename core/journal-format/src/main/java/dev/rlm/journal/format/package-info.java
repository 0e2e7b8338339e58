/**
 * The form of the journal: how events are lines ({@code EventWriter}, {@code SummaryWriter}, on {@code JsonLine}; what lines of
 * a run have told in {@code ToldMessages}), and how folders are laid out ({@code JournalFolder}, {@code ArtifactFiles}). For
 * modules of the journal: no promise of compatibility is made of these types.
 */
@NullMarked
package dev.rlm.journal.format;

import org.jspecify.annotations.NullMarked;
