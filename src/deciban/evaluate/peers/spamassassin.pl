# Answers on standard output, one line each, what standard input asks of SpamAssassin's Bayes classifier:
#
#     classify LENGTH\n…bytes…     the score from 0 to 1, or "none" where it has no opinion
#     learn-spam LENGTH\n…bytes…   "learned" or "known"
#     learn-ham LENGTH\n…bytes…    "learned" or "known"
#
# The one argument is the folder for its database.
use strict;
use warnings;
use Mail::SpamAssassin;
use Mail::SpamAssassin::PerMsgStatus;

my $folder = shift @ARGV or die "which folder?\n";
binmode STDIN;
$| = 1;

my $spamassassin = Mail::SpamAssassin->new({
    dont_copy_prefs      => 1,
    local_tests_only     => 1,
    require_rules        => 0,
    home_dir_for_helpers => $folder,
    userstate_dir        => $folder,
    config_text          => <<"END",
loadplugin Mail::SpamAssassin::Plugin::Bayes
use_bayes 1
bayes_path $folder/bayes
bayes_min_ham_num 1
bayes_min_spam_num 1
bayes_auto_learn 0
bayes_auto_expire 0
bayes_learn_to_journal 0
lock_method flock
END
});
$spamassassin->init(1);
$spamassassin->init_learner({ caller_will_untie => 1 });
my ($bayes) = grep { $_->isa('Mail::SpamAssassin::Plugin::Bayes') } @{ $spamassassin->{plugins}->{plugins} };
die "SpamAssassin has no Bayes plugin\n" unless $bayes;

my $before = '';
while (my $request = <STDIN>) {
    my ($what, $length) = $request =~ /^(classify|learn-spam|learn-ham) (\d+)$/ or die "not understood: $request";
    my $message = '';
    while (length($message) < $length) {
        read(STDIN, $message, $length - length($message), length($message)) or die "the message ends early\n";
    }
    # A database that is open for one purpose must be closed before the other, or what was learned is not seen.
    my $purpose = $what eq 'classify' ? 'reading' : 'writing';
    $bayes->{store}->untie_db() if $before && $purpose ne $before;
    $before = $purpose;
    # Handed over as a string it would be copied line by line more than once.
    my $mail = $spamassassin->parse([ split /^/m, $message ], 1);
    if ($what eq 'classify') {
        my $status = Mail::SpamAssassin::PerMsgStatus->new($spamassassin, $mail);
        $status->extract_message_metadata();
        my $score = $bayes->scan($status, $mail);
        print defined $score ? sprintf("%.17g\n", $score) : "none\n";
        $status->finish();
    } else {
        my $status = $spamassassin->learn($mail, undef, $what eq 'learn-spam', 0);
        print $status->did_learn() ? "learned\n" : "known\n";
        $status->finish();
    }
    $mail->finish();
}
$spamassassin->finish_learner();
